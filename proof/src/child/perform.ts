import type { SessionStore, WriteOptions } from '@turnlog/core'

import { messageOf } from '../model/message-of.ts'
import type { ProofMessage } from '../model/message-of.ts'
import type { Operation, Place } from '../model/operation.ts'

/** Makes the call that an operation stands for: the same one whenever it is made again. */
export async function perform(
  store: SessionStore<ProofMessage>,
  key: string,
  op: Operation,
  { position = 0, version = 0 }: Place,
  options: WriteOptions,
): Promise<{ readonly version: number } | undefined> {
  switch (op.kind) {
    case 'add':
      return store.addMessages(key, op.ids.map(messageOf), options)
    case 'keepLast':
      return store.truncateHistory(key, op.count, options)
    case 'cutBefore':
      return store.truncateHistory(key, { before: position }, options)
    case 'summary':
      return store.setSummary(key, op.text, options)
    case 'summarize':
      return store.summarize(key, { summary: op.text, through: position, version }, options)
    case 'history':
      return store.setHistory(key, op.ids.map(messageOf), options)
    case 'replaceFrom':
      return store.replaceFrom(key, position, op.ids.map(messageOf), options)
    case 'restore':
      return store.restore(key, { at: op.at }, options)
    case 'metadata':
      return store.setMetadata(key, { counter: op.counter }, options)
    case 'note':
      return store.note(key, 'usage', { tokens: 1 }, options)
    case 'compact':
      await store.compact(key)
      return undefined
    case 'delete':
      await remove(store, key, op)
      return undefined
    case 'fork':
      return store.fork(op.from, key)
    default:
      return op satisfies never
  }
}

async function remove(
  store: SessionStore<ProofMessage>,
  key: string,
  { erase, expire }: Extract<Operation, { kind: 'delete' }>,
): Promise<void> {
  // Clocks may not have moved since it was made: then it is not idle yet, and deleted by hand.
  if (expire && (await store.expire({ idleForMs: 0, prefix: key })).sessions > 0) return
  await store.deleteSession(key, { erase })
}

/** Whether a call of this kind takes an `operationId`. */
export function takesOperationId({ kind }: Operation): boolean {
  return kind !== 'compact' && kind !== 'delete' && kind !== 'fork'
}
