import { closeSync, constants, fdatasyncSync, openSync, write, writeSync } from 'node:fs'
import { join } from 'node:path'

import type { Message } from 'turnlog'

import type { Contestant, Durability, Keeper } from './contestant.ts'
import { readLineFile } from './line-file.ts'

/** The limit of anything asynchronous: one hop through the thread pool, encoded beforehand, no format, no checks. */
export const rawOneHop: Contestant = {
  id: 'raw-one-hop',
  label: 'raw fs.write, O_DSYNC, one hop',
  durability: 'sync',
  note: 'encoded beforehand: the limit',
  open: (directory) => openRaw(directory, constants.O_DSYNC, writeInPool),
}

export const rawBlocking: Contestant = {
  id: 'raw-blocking',
  label: 'raw writeSync + fdatasyncSync',
  durability: 'sync',
  note: 'encoded beforehand; blocks the event loop',
  open: (directory) =>
    openRaw(directory, 0, (file, bytes) => {
      writeSync(file, bytes)
      fdatasyncSync(file)
      return Promise.resolve()
    }),
}

export const rawUnsynced: Contestant = {
  id: 'raw-unsynced',
  label: 'raw fs.write, one hop',
  durability: 'os',
  note: 'encoded beforehand: the limit',
  open: (directory) => openRaw(directory, 0, writeInPool),
}

/** `readFile`, `split`, `JSON.parse`: how most people read a file of lines. */
export function naiveReader(durability: Durability): Contestant {
  return {
    id: 'read-split-parse',
    label: 'readFile + split + JSON.parse',
    durability,
    note: 'no checksum, not frozen',
    open: async (directory) => {
      const keeper = await openRaw(directory, constants.O_DSYNC, writeInPool)
      const { readFile } = await import('node:fs/promises')
      return {
        ...keeper,
        read: async (session) => {
          const text = await readFile(fileOf(directory, session), 'utf8')
          const lines = text.split('\n')
          lines.pop()
          return lines.map((line) => JSON.parse(line) as Message)
        },
      }
    },
  }
}

type Write = (file: number, bytes: Buffer) => Promise<void>

function writeInPool(file: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    write(file, bytes, 0, bytes.length, null, (error) => (error === null ? resolve() : reject(error)))
  })
}

function fileOf(directory: string, session: string): string {
  return join(directory, `${encodeURIComponent(session)}.jsonl`)
}

async function openRaw(directory: string, flags: number, writeBytes: Write): Promise<Keeper> {
  const files = new Map<string, number>()
  const encoded = new WeakMap<Message, Buffer>()
  const encode = (message: Message): Buffer => Buffer.from(`${JSON.stringify(message)}\n`)
  const fileFor = (session: string): number => {
    let file = files.get(session)
    if (file === undefined) {
      file = openSync(fileOf(directory, session), constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | flags)
      files.set(session, file)
    }
    return file
  }
  return {
    prepare: (messages) => {
      for (const message of messages) encoded.set(message, encode(message))
    },
    append: (session, message) => writeBytes(fileFor(session), encoded.get(message) ?? encode(message)),
    appendAll: (session, messages) =>
      writeBytes(fileFor(session), Buffer.concat(messages.map((message) => encoded.get(message) ?? encode(message)))),
    read: async (session) => readLineFile<Message>(fileOf(directory, session)),
    close: async () => {
      for (const file of files.values()) closeSync(file)
    },
  }
}
