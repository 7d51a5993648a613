import type { Backend } from '@turnlog/core'
import { isStoreError } from '@turnlog/core'

/** One session as a backend gives it: its head and its events, as JSON text. */
export interface SessionImage {
  readonly head: string
  readonly events: readonly string[]
}

export interface StoreImage {
  readonly sessions: ReadonlyMap<string, SessionImage>
  /** Refusals while reading, by code and message. */
  readonly refusals: readonly { readonly code: string; readonly message: string }[]
}

const ALL = [{ from: 1, to: Number.MAX_SAFE_INTEGER }]

/** Reads everything of an open backend, and also asks for sessions that ought to be there. */
export async function imageOf(backend: Backend, expected: Iterable<string> = []): Promise<StoreImage> {
  const refusals: { code: string; message: string }[] = []
  const refuse = (error: unknown): void => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    refusals.push(isStoreError(error) ? { code: error.code, message: error.message } : { code: 'untyped', message })
  }
  const keys = new Set(expected)
  try {
    for await (const batch of backend.list()) for (const { session } of batch) keys.add(session)
  } catch (error) {
    refuse(error)
  }
  const sessions = new Map<string, SessionImage>()
  for (const key of [...keys].sort()) {
    try {
      const head = await backend.head(key)
      if (head === undefined) continue
      const events: string[] = []
      for await (const batch of backend.read(key, ALL)) for (const event of batch) events.push(JSON.stringify(event))
      const { first, last, incarnation, projection } = head
      sessions.set(key, { head: JSON.stringify({ first, last, incarnation, projection }), events })
    } catch (error) {
      refuse(error)
    }
  }
  return { sessions, refusals }
}
