import type { Backend } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'

/** Decides what happens to an append: nothing special, an error before it is written, or an error afterwards. */
export type Fault = 'none' | 'before' | 'after'

/** A memory backend with some of its methods replaced. */
export function backendWith(changes: (inner: Backend) => Partial<Backend>): Backend {
  const inner = memoryBackend()
  const bound: Backend = {
    contract: 1,
    name: 'memory',
    capabilities: inner.capabilities,
    open: (options) => inner.open(options),
    close: () => inner.close(),
    append: (...args) => inner.append(...args),
    read: (...args) => inner.read(...args),
    head: (session) => inner.head(session),
    list: (range) => inner.list(range),
    erase: (...args) => inner.erase(...args),
  }
  return { ...bound, ...changes(bound) }
}

/** A memory backend whose appends fail as told, with an I/O error. */
export function faultyBackend(fault: () => Fault): Backend {
  return backendWith((inner) => ({
    append: async (...args) => {
      const decided = fault()
      if (decided === 'before') throw new StoreError('IO', 'The disk failed.')
      await inner.append(...args)
      if (decided === 'after') throw new StoreError('IO', 'The disk failed.')
    },
  }))
}
