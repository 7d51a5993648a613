import type { CutRequest, Position, SessionEvent, ViewEffect } from '@turnlog/core'
import type { AnyMessage } from './message-text.ts'
import { fit, padTo } from './fit.ts'
import { describeMessage } from '@turnlog/messages/describe'
import { messagePreview, paintSpeaker } from './message-text.ts'
import { printable } from './printable.ts'
import { formatBytes, formatNumberOf, formatTime } from './quantities.ts'
import type { Terminal } from './terminal.ts'

const TYPE_COLUMNS = 16
const PREVIEW_MIN_COLUMNS = 20

/** An event in one line, and in a second one what it did to the view if that is more than adding a message. */
export function eventLines(terminal: Terminal, event: SessionEvent<AnyMessage>, effect?: ViewEffect): string[] {
  const { dim, bold } = terminal.colors
  const seq = String(event.seq).padStart(6)
  const time = formatTime(event.at)
  const type = padTo(printable(event.type), TYPE_COLUMNS)
  const left = terminal.columns - (6 + 2 + 19 + 2 + TYPE_COLUMNS + 2)
  const line = `${bold(seq)}  ${dim(time)}  ${paintType(terminal, type)}  ${formatDetails(terminal, event, Math.max(PREVIEW_MIN_COLUMNS, left))}`
  const change = effect === undefined ? undefined : formatEffect(event, effect)
  return change === undefined ? [line] : [line, dim(`${' '.repeat(29)}└ ${change}`)]
}

/** `1–4, 9`: positions as ranges. Positions between two of them that carry no message do not split a range. */
function formatPositions(positions: readonly Position[]): string {
  const ranges: string[] = []
  for (let i = 0; i < positions.length; i++) {
    const from = positions[i] as Position
    while ((positions[i + 1] ?? 0) === (positions[i] as Position) + 1) i++
    ranges.push(from === positions[i] ? `${from}` : `${from}–${positions[i]}`)
  }
  return ranges.length > 8 ? `${ranges.slice(0, 8).join(', ')}, …` : ranges.join(', ')
}

function paintType({ colors }: Terminal, type: string): string {
  const paint =
    {
      MessageAdded: colors.green,
      MessageStored: colors.green,
      Truncated: colors.red,
      HistoryReplaced: colors.red,
      SessionDeleted: colors.red,
      SummarySet: colors.blue,
      Compacted: colors.magenta,
    }[type.trim()] ?? colors.dim
  return paint(type)
}

function formatDetails(terminal: Terminal, event: SessionEvent<AnyMessage>, columns: number): string {
  if ('inert' in event) return terminal.colors.dim('written by a newer version; skipped')
  switch (event.type) {
    case 'MessageAdded':
    case 'MessageStored': {
      const { speaker } = describeMessage(event.message)
      const shown = fit(printable(speaker), 12)
      return `${paintSpeaker(terminal, shown)}  ${messagePreview(event.message, Math.max(PREVIEW_MIN_COLUMNS, columns - shown.length - 2))}`
    }
    case 'Truncated':
      return formatRequest(event.asked) + (event.moved === true ? ', moved back to keep a tool call whole' : '')
    case 'HistoryReplaced':
      return 'the view was replaced'
    case 'SummarySet':
      return event.summary === ''
        ? '(none)'
        : fit(printable(event.summary.slice(0, 4 * columns).replaceAll(/\s+/g, ' ')), columns)
    case 'MetadataSet':
      return fit(printable(JSON.stringify(event.metadata)), columns)
    case 'Noted':
      return fit(printable(`${event.kind} ${JSON.stringify(event.data)}`), columns)
    case 'Compacted':
      return event.start === undefined
        ? `${formatNumberOf(event.removedEvents, 'event')} removed permanently${because(event.reason)}`
        : `what lies before ${event.start} may be removed later${because(event.reason)}`
    default:
      return `${formatNumberOf(event.removedMessages, 'message')}, ${formatNumberOf(event.removedEvents, 'event')} deleted${because(event.reason)}`
  }
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${printable(reason)}`
}

function formatRequest(asked: CutRequest): string {
  if ('keepLast' in asked) return `keep the last ${asked.keepLast}`
  if ('before' in asked) return `cut before ${asked.before}`
  if ('through' in asked) return `cut through ${asked.through}, summarised at version ${asked.version}`
  // A rule of retention: its name and its bound.
  return Object.entries(asked)
    .map(([rule, bound]) => `${rule} ${String(bound)}`)
    .join(', ')
}

function formatEffect(
  event: SessionEvent<AnyMessage>,
  { added, removed, length, summary, isWhole }: ViewEffect,
): string | undefined {
  if (summary !== undefined) {
    return summary.before === '' ? undefined : `replaces a summary of ${formatBytes(Buffer.byteLength(summary.before))}`
  }
  if (event.type !== 'Truncated' && event.type !== 'HistoryReplaced') return undefined
  const parts = [
    ...(removed.length > 0 ? [`removed ${removed.length} (${formatPositions(removed)})`] : []),
    ...(added.length > 0 ? [`brought in ${added.length} (${formatPositions(added)})`] : []),
    ...(isWhole ? [`the view has ${formatNumberOf(length, 'message')}`] : ['part of this view was compacted away']),
  ]
  return parts.join('; ')
}
