import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'

import { messageOf } from './conversation.ts'

/** A summariser reads after so many messages, and has thought when so many are there. It keeps the newest. */
const READ_AT = 24
const SAVED_AT = 32
const KEEP = 8

interface Kept {
  /** How many messages the summary stands for. */
  readonly summarised: number
  readonly messages: readonly object[]
}

/** Keeps a conversation in one JSON file, as a careful program does: read it, add, write a new file, sync, rename. */
function main(file: string, count: number): void {
  replace(file, { summarised: 0, messages: [] })
  let read: Kept | undefined
  for (let n = 1; n <= count; n++) {
    const kept = load(file)
    replace(file, { ...kept, messages: [...kept.messages, messageOf(n)] })
    writeSync(1, `ack ${n}\n`)
    if (n === READ_AT) read = load(file)
    if (n === SAVED_AT && read !== undefined) replace(file, summarise(read))
  }
  // The next write is under way when the process is killed: half of the new file is there, and the old one is whole.
  const descriptor = openSync(`${file}.new`, 'w')
  const text = JSON.stringify(load(file))
  writeSync(descriptor, text.slice(0, text.length / 2))
  process.kill(process.pid, 'SIGKILL')
}

function summarise({ messages }: Kept): Kept {
  return { summarised: messages.length - KEEP, messages: messages.slice(-KEEP) }
}

function load(file: string): Kept {
  return JSON.parse(readFileSync(file, 'utf8')) as Kept
}

function replace(file: string, kept: Kept): void {
  const descriptor = openSync(`${file}.new`, 'w')
  writeSync(descriptor, JSON.stringify(kept, undefined, 2))
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(`${file}.new`, file)
}

main(process.argv[2] ?? '', Number(process.argv[3]))
