import type { Context } from '../context/context.ts'
import { printable, printableJson } from '../output/printable.ts'

/** The answer of a command that changed something: a sentence for people, the result itself for machines. */
export async function printResult({ terminal, json }: Context, result: object, sentence: string): Promise<void> {
  await terminal.line(json ? printableJson(result) : `${terminal.colors.green('✓')} ${printable(sentence)}`)
}
