import type { TruncateResult } from '@turnlog/core'
import type { Context } from '../context/context.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { printResult } from './print-result.ts'

/** What a cut did, and how to undo it. */
export async function printCut(context: Context, key: string, result: TruncateResult, before: number): Promise<void> {
  const { version, kept, removed, moved } = result
  const back = moved ? ' The cut moved back, so as to keep a tool call with its results.' : ''
  const undo = removed === 0 ? '' : ` Undo: turnlog restore ${key} --at ${before}`
  const sentence = `Removed ${formatNumberOf(removed, 'message')} from the view, ${kept} left; version ${version}.`
  await printResult(context, result, `${sentence}${back}${undo}`)
}
