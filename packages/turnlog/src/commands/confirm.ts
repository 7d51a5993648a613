import { StoreError } from '@turnlog/core'
import type { Context } from '../context/context.ts'

/**
 * Whether something that cannot be undone shall be done.
 *
 * @throws `INVALID_ARGUMENT` where nobody can be asked and `--yes` is not given
 */
export async function confirm(context: Context, yes: boolean, question: string): Promise<boolean> {
  const { terminal, json } = context
  if (yes) return true
  if (json || !terminal.isInteractive) {
    throw new StoreError(
      'INVALID_ARGUMENT',
      'This cannot be undone. There is no terminal to confirm on; pass --yes to proceed.',
    )
  }
  if (await context.ask(question)) return true
  terminal.note('Nothing was changed.')
  return false
}
