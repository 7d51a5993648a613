import type { Backend } from '@turnlog/core/backend'
import { StoreError, wrapBackend } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'

/** Decides what happens to an append: nothing special, an error before it is written, or an error afterwards. */
export type Fault = 'none' | 'before' | 'after'

/** A memory backend with some of its methods replaced. */
export function backendWith(changes: (inner: Backend) => Partial<Backend>): Backend {
  const inner = memoryBackend()
  return wrapBackend(inner, changes(inner))
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
