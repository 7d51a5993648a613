import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import type { Message } from 'turnlog'
import { ClassicLevel } from 'classic-level'
import type { DatabaseOptions } from 'classic-level'
import { Packr } from 'msgpackr'

import type { Contestant, Durability, Keeper } from './contestant.ts'

const SEGMENT_MESSAGES = 64
const CHECKSUM_BYTES = 4
const MIB = 1024 * 1024

/** Ids of events are as long as Turnlog's. */
const PREFIX = '0k3x9q2m7v1b5z'

/** The settings of Turnlog's LevelDB backend, so that both differ in what they do and not in what they were given. */
export const LEVEL_OPTIONS: DatabaseOptions<Buffer, Buffer> = {
  keyEncoding: 'buffer',
  valueEncoding: 'buffer',
  cacheSize: 8 * MIB,
  writeBufferSize: 16 * MIB,
  blockSize: 16 * 1024,
  maxFileSize: 16 * MIB,
}

/**
 * The least that reads fast from LevelDB and notices damage: segments of 64 messages, single rows behind them, a
 * checksum per row, everything frozen; what waits is written in one batch. No head, no lock, no projection, one iterator
 * per read.
 */
export function bareLevel(durability: Exclude<Durability, 'none'>): Contestant {
  return {
    id: 'bare-level',
    label: 'bare classic-level',
    durability,
    note: 'the same segments, checksum and freeze; no head, no lock, no view: the limit of LevelDB',
    open: async (directory) => {
      const level = new ClassicLevel<Buffer, Buffer>(join(directory, 'level'), LEVEL_OPTIONS)
      await level.open()
      return keeperOf(level, durability === 'sync')
    },
  }
}

interface Waiting {
  readonly session: string
  readonly messages: readonly Message[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The same as in Turnlog's segments. */
interface Envelope {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly v: number
  readonly at: number
  readonly message: Message
}

function keeperOf(level: ClassicLevel<Buffer, Buffer>, sync: boolean): Keeper {
  const packr = new Packr({ useRecords: false, variableMapSize: true })
  const sessions = new Map<string, { last: number; tail: Envelope[] }>()
  const seal = (value: unknown): Buffer => {
    const payload = packr.pack(value)
    const row = Buffer.allocUnsafe(CHECKSUM_BYTES + payload.length)
    row.writeUInt32BE(crc32(payload), 0)
    payload.copy(row, CHECKSUM_BYTES)
    return row
  }
  const putAll = (batch: ReturnType<typeof level.batch>, { session, messages }: Waiting): void => {
    const state = sessions.get(session) ?? { last: 0, tail: [] }
    sessions.set(session, state)
    for (const message of messages) {
      state.last++
      const event = {
        seq: state.last,
        id: `${PREFIX}-${state.last.toString(36)}`,
        type: 'MessageAdded',
        v: 1,
        at: Date.now(),
        message,
      }
      state.tail.push(event)
      if (state.tail.length < SEGMENT_MESSAGES) {
        batch.put(keyOf(session, state.last), seal([event]))
        continue
      }
      for (let back = 1; back < SEGMENT_MESSAGES; back++) batch.del(keyOf(session, state.last - back))
      batch.put(keyOf(session, state.last), seal(state.tail))
      state.tail = []
    }
  }
  let waiting: Waiting[] = []
  let isWriting = false
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      const batch = level.batch()
      for (const one of group) putAll(batch, one)
      try {
        await batch.write({ sync })
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
      await Promise.resolve() // those who were just answered ask again
    }
    isWriting = false
  }
  const appendAll = (session: string, messages: readonly Message[]): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ session, messages, resolve, reject })
      if (isWriting) return
      isWriting = true
      queueMicrotask(() => void flush())
    })
  return {
    append: (session, message) => appendAll(session, [message]),
    appendAll,
    read: async (session) => {
      const range = { gte: keyOf(session, 0), lt: keyOf(session, Number.MAX_SAFE_INTEGER) }
      const rows = await level.values({ ...range, highWaterMarkBytes: 64 * MIB } as object).all()
      const messages: Message[] = []
      for (const row of rows) {
        const payload = row.subarray(CHECKSUM_BYTES)
        if (crc32(payload) !== row.readUInt32BE(0)) throw new Error('a row is damaged')
        for (const { message } of packr.unpack(payload) as Envelope[]) messages.push(freeze(message) as Message)
      }
      return messages
    },
    list: async () => {
      let count = 0
      const iterator = level.iterator({ highWaterMarkBytes: MIB } as object)
      for (;;) {
        const rows = await iterator.nextv(1000)
        if (rows.length === 0) break
        count += rows.length
      }
      await iterator.close()
      return count
    },
    close: () => level.close(),
  }
}

function keyOf(session: string, seq: number): Buffer {
  const name = Buffer.byteLength(session)
  const key = Buffer.allocUnsafe(name + 9)
  key.write(session)
  key[name] = 0
  key.writeUInt32BE(Math.floor(seq / 0x1_0000_0000), name + 1)
  key.writeUInt32BE(seq >>> 0, name + 5)
  return key
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const item of Object.values(value)) if (typeof item === 'object') freeze(item)
  return Object.freeze(value)
}
