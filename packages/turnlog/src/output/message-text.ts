import { fit } from './fit.ts'
import { describeMessage } from '@turnlog/messages/describe'
import type { Block } from '@turnlog/messages/describe'
import { printable, printableLines } from './printable.ts'
import type { Terminal } from './terminal.ts'
import { wrap } from './wrap.ts'

/** A message of whatever SDK: looked at field by field, never trusted. */
export type AnyMessage = Readonly<Record<string, unknown>>

/** Lines of a long tool result that are shown unless everything is asked for. */
const RESULT_LINES = 12

const INDENT = '    '

/** Names a speaker in the colour that it has everywhere. Safe to print. */
export function paintSpeaker({ colors }: Terminal, speaker: string): string {
  const paint =
    {
      user: colors.cyan,
      assistant: colors.green,
      model: colors.green,
      tool: colors.yellow,
      system: colors.magenta,
      developer: colors.magenta,
    }[speaker] ?? colors.bold
  return paint(printable(speaker))
}

/** A message as indented lines. Safe to print. */
export function messageLines(terminal: Terminal, message: AnyMessage, full: boolean): string[] {
  const { blocks } = describeMessage(message)
  if (blocks.length === 0) return [INDENT + terminal.colors.dim('(empty)')]
  return blocks.flatMap((block) => blockLines(terminal, block, full))
}

/** A message in one line of at most so many columns. Safe to print, without colours. */
export function messagePreview(message: AnyMessage, columns: number): string {
  const { blocks } = describeMessage(message)
  const parts = blocks.map((block) => {
    switch (block.kind) {
      case 'call':
        return `→ ${block.name}(${block.input})`
      case 'result':
        return `← ${block.output}`
      default:
        return block.text
    }
  })
  // Cut before the costly part: previews of a 5 MB message must not cost 5 MB of work.
  const start = parts.join('  ').slice(0, columns * 4)
  return fit(printable(start.replaceAll(/\s+/g, ' ')), columns)
}

function blockLines(terminal: Terminal, block: Block, full: boolean): string[] {
  const { dim, bold, italic, yellow } = terminal.colors
  const columns = terminal.columns - INDENT.length
  switch (block.kind) {
    case 'text':
      return wrapped(block.text, columns).map((line) => INDENT + line)
    case 'reasoning':
      return wrapped(block.text, columns).map((line) => INDENT + dim(italic(line)))
    case 'call': {
      const id = block.id === '' ? '' : dim(`  ${printable(block.id)}`)
      const lines = wrapped(block.input, columns - 2)
      return [
        `${INDENT}${yellow('→')} ${bold(printable(block.name))}${id}`,
        ...lines.map((line) => `${INDENT}  ${line}`),
      ]
    }
    case 'result': {
      const label = [block.name, block.id].filter((part) => part !== '').join('  ')
      const lines = wrapped(block.output, columns - 2)
      const hidden = full ? 0 : Math.max(0, lines.length - RESULT_LINES)
      const visible = hidden === 0 ? lines : lines.slice(0, RESULT_LINES)
      const rest = hidden === 0 ? [] : [`${INDENT}  ${dim(`… ${hidden} more lines (--full shows them)`)}`]
      return [
        `${INDENT}${yellow('←')} ${dim(printable(label))}`,
        ...visible.map((line) => `${INDENT}  ${line}`),
        ...rest,
      ]
    }
    default:
      return wrapped(`${block.label}: ${block.text}`, columns).map((line) => INDENT + dim(line))
  }
}

function wrapped(text: string, columns: number): string[] {
  return printableLines(text).flatMap((line) => wrap(line, columns))
}
