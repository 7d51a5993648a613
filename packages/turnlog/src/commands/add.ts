import { text as readAll } from 'node:stream/consumers'
import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import type { AnyMessage } from '../output/message-text.ts'
import { printResult } from './print-result.ts'
import { formatCount, formatNumberOf } from '../output/quantities.ts'
import { wholeNumber } from './arguments.ts'
import { messagesOfLines } from '@turnlog/importers'
import type { LinesRead } from '@turnlog/importers'

interface AddFlags {
  readonly role: string
  readonly message?: string
  readonly stdin?: boolean
  readonly create?: boolean
  readonly expect?: number
  readonly operationId?: string
}

interface Given extends LinesRead {
  readonly messages: readonly AnyMessage[] // the store checks what they are
}

export function addCommand(act: Act): Command {
  return new Command('add')
    .description('adds messages to a session')
    .argument('<key>', 'the session; it is made if there is none')
    .argument('[text]', 'the content of one message')
    .option('--role <role>', 'the role of that message', 'user')
    .option('--message <json>', 'a whole message as JSON instead')
    .option('--stdin', 'messages from the input, one JSON object per line; all of them or none are added')
    .option('--create', 'make the store if there is none')
    .option('--expect <version>', 'only if the session is at this version', wholeNumber)
    .option('--operation-id <id>', 'makes a repeat of the same command harmless')
    .addHelpText(
      'after',
      `
Of a rollout of Codex the items are taken; what Codex and Claude Code write beside the conversation is left out.
With --json: one object with version, and with leftOut (how many lines of which type) if lines were left out.

Examples:
  turnlog add telegram:42 'Hello'
  turnlog add telegram:42 --message '{"role":"assistant","content":"Hi"}' --expect 1
  cat messages.jsonl | turnlog add telegram:42 --stdin`,
    )
    .action(act(add))
}

async function add(context: Context, key: string, text: string | undefined, flags: AddFlags): Promise<void> {
  const { messages, leftOut } = await messagesOf(context, text, flags)
  const types = Object.entries(leftOut).map(([type, count]) => `${formatCount(count)} ${type}`)
  if (messages.length === 0 && types.length > 0) {
    throw new StoreError('INVALID_MESSAGE', `No line of the input is a message: ${types.join(', ')}.`)
  }
  const store = await context.openToWrite({ create: flags.create === true })
  const { expect, operationId } = flags
  const result = await store.addMessages(key, messages, {
    ...(expect === undefined ? undefined : { expectedVersion: expect }),
    ...(operationId === undefined ? undefined : { operationId }),
  })
  const left = types.length === 0 ? '' : ` Left out lines that are no messages: ${types.join(', ')}.`
  const sentence = `Added ${formatNumberOf(messages.length, 'message')}; version ${result.version}.${left}`
  await printResult(context, types.length === 0 ? result : { ...result, leftOut }, sentence)
}

async function messagesOf(
  { terminal }: Context,
  text: string | undefined,
  { role, message, stdin }: AddFlags,
): Promise<Given> {
  const ways = [text, message, stdin].filter((way) => way !== undefined).length
  if (ways !== 1) throw new StoreError('INVALID_ARGUMENT', 'Give one of: a text, --message, --stdin.')
  if (text !== undefined) return { messages: [{ role, content: text }], leftOut: {} }
  if (message !== undefined) return { messages: [parse(message, '--message')], leftOut: {} }
  const lines = (await readAll(terminal.input)).split('\n')
  // Numbered before blank ones are left out: a person counts them as well.
  const given = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parse(line, `Line ${index + 1} of the input`)],
  )
  return messagesOfLines(given) as Given
}

function parse(json: string, what: string): AnyMessage {
  try {
    return JSON.parse(json) as AnyMessage
  } catch (error) {
    // Not the parser's own words: they quote the message.
    throw new StoreError('INVALID_MESSAGE', `${what} is not JSON.`, { cause: error })
  }
}
