import { closeSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { Backend, Capabilities } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'

import { memoryMutant, memoryTarget, memoryTargetWith, pause } from './mutant.ts'
import type { Mutant } from './mutant.ts'

const swallowed = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (isStoreError(error, 'CLOSED')) return undefined
    throw error
  }
}

function claims(name: string, caughtBy: readonly string[], lie: Partial<Capabilities>): Mutant {
  return memoryMutant(name, caughtBy, (inner) => ({ capabilities: Object.freeze({ ...inner.capabilities, ...lie }) }))
}

const awake: Partial<Backend> = {
  // eslint-disable-next-line require-yield -- nobody else can write to memory
  wake: async function* (_session, signal) {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  },
}

/** Does something at each open, which nothing undoes at close. */
function atEachOpen(name: string, work: (cleanUp: (work: () => void) => void) => void): Mutant {
  return memoryMutant(name, ['lifecycle.resources'], (inner, { cleanUp }) => ({
    async open(options) {
      const report = await inner.open(options)
      work(cleanUp)
      return report
    },
  }))
}

export const lifecycleMutants: readonly Mutant[] = [
  memoryMutant(
    'answers head when it is closed',
    ['lifecycle.closed', 'lifecycle.never-opened', 'lifecycle.closing'],
    (inner) => ({ head: (session) => swallowed(inner.head(session)) }),
  ),
  memoryMutant('swallows an append when it is closed', ['lifecycle.closed', 'lifecycle.never-opened'], (inner) => ({
    append: (...args) => swallowed(inner.append(...args)),
  })),
  memoryMutant(
    'gives nothing to read when it is closed',
    ['lifecycle.closed', 'lifecycle.read.closed-meanwhile'],
    (inner) => ({
      read: async function* (...args) {
        try {
          yield* inner.read(...args)
        } catch (error) {
          if (!isStoreError(error, 'CLOSED')) throw error
        }
      },
    }),
  ),
  memoryMutant(
    'gives an empty list when it is closed',
    ['lifecycle.closed', 'lifecycle.list.closed-meanwhile'],
    (inner) => ({
      list: async function* (...args) {
        try {
          yield* inner.list(...args)
        } catch (error) {
          if (!isStoreError(error, 'CLOSED')) throw error
        }
      },
    }),
  ),
  memoryMutant(
    'lets a read run on after close',
    ['lifecycle.read.closed-meanwhile', 'lifecycle.read.belongs-to-its-opening'],
    (inner) => ({
      read: async function* (...args) {
        const batches: (readonly never[])[] = []
        for await (const batch of inner.read(...args)) batches.push(batch as readonly never[])
        yield* batches
      },
    }),
  ),
  memoryMutant('waits for open instead of refusing', ['lifecycle.opening'], (inner) => {
    let opening: Promise<unknown> = Promise.resolve()
    return {
      open(options) {
        const report = inner.open(options)
        opening = report
        return report
      },
      head: (session) => opening.then(() => inner.head(session)),
    }
  }),
  memoryMutant('gives another report each time', ['lifecycle.open.same-report'], (inner) => {
    let times = 0
    return { open: async (options) => ({ ...(await inner.open(options)), created: times++ === 0 }) }
  }),
  memoryMutant('says that there was a store before', ['lifecycle.open.report'], (inner) => ({
    open: async (options) => ({ ...(await inner.open(options)), created: false }),
  })),
  memoryMutant('fails when it is closed twice', ['lifecycle.close.idempotent'], (inner) => {
    let closed = false
    return {
      open(options) {
        closed = false
        return inner.open(options)
      },
      async close() {
        if (closed) throw new Error('closed already')
        closed = true
        await inner.close()
      },
    }
  }),
  memoryMutant(
    'closes without waiting for appends',
    ['lifecycle.close.waits-for-appends', 'lifecycle.close.second-waits'],
    (inner) => ({
      async append(...args) {
        await pause()
        await inner.append(...args)
      },
    }),
  ),
  memoryMutant(
    'says that its storage failed when it is closed under a call',
    ['lifecycle.close.calls-in-flight'],
    (inner) => ({
      async head(session) {
        await inner.head(session)
        await pause()
        return inner.head(session).catch((cause: unknown) => {
          throw new StoreError('IO', 'The database is not open.', { cause })
        })
      },
    }),
  ),
  memoryMutant('does not wait for another close', ['lifecycle.close.second-waits'], (inner) => {
    const appends = new Set<Promise<void>>()
    let closing = false
    return {
      append(...args) {
        const appended = pause().then(() => inner.append(...args))
        appends.add(appended)
        return appended
      },
      async close() {
        if (closing) return
        closing = true
        await Promise.allSettled(appends)
        await inner.close()
      },
    }
  }),
  memoryMutant(
    'cannot be opened again',
    ['lifecycle.reopened', 'lifecycle.open.during-close', 'lifecycle.close.during-open'],
    (inner) => {
      let used = false
      return {
        open(options) {
          if (used) return Promise.reject(new Error('used up'))
          return inner.open(options)
        },
        close() {
          used = true
          return inner.close()
        },
      }
    },
  ),
  memoryMutant('forgets that open is under way when it is closed', ['lifecycle.close.during-open'], (inner) => {
    let opening: Promise<unknown> | undefined
    return {
      open(options) {
        const report = pause().then(() => inner.open(options))
        opening = report
        void report.finally(() => (opening = undefined))
        return report
      },
      close: () => (opening === undefined ? inner.close() : Promise.resolve()),
    }
  }),
  memoryMutant('answers a step of a read with another session', ['lifecycle.read.step-in-flight'], (inner) => ({
    read: async function* (...args) {
      for await (const batch of inner.read(...args)) {
        await pause()
        yield [...batch].reverse()
      }
    },
  })),
  memoryMutant('ignores readOnly', ['read-only.refuses-writes'], (inner) => ({ open: () => inner.open() })),
  memoryMutant('drops writes quietly when read-only', ['read-only.refuses-writes'], (inner) => ({
    append: (...args) =>
      inner.append(...args).catch((error: unknown) => {
        if (!isStoreError(error, 'READ_ONLY')) throw error
      }),
  })),
  memoryMutant('stays read-only', ['read-only.then-writable'], (inner) => {
    let readOnly = false
    return {
      open(options) {
        readOnly ||= options?.readOnly === true
        return inner.open({ readOnly })
      },
    }
  }),
  claims('claims to be persistent', ['persistent.reopen', 'persistent.same-object', 'persistent.created'], {
    persistent: true,
  }),
  claims('claims to survive a crash without keeping anything', ['capabilities.consistent'], { durability: 'os' }),
  claims('claims a durability that does not exist', ['capabilities.complete'], { durability: 'best' as never }),
  memoryMutant('implements another contract', ['capabilities.contract'], () => ({ contract: 2 as never })),
  memoryMutant('lets its capabilities be changed', ['capabilities.fixed'], (inner) => ({
    capabilities: { ...inner.capabilities },
  })),
  {
    name: 'keeps everything although it says it does not',
    caughtBy: ['volatile.reopened-empty'],
    healthy: memoryTarget,
    target: {
      name: 'keeps everything although it says it does not',
      async create() {
        const inner = memoryBackend()
        const { target } = {
          target: memoryTargetWith('kept', () => ({
            close: () => Promise.resolve(),
            open: () => inner.open(),
            append: (...args) => inner.append(...args),
            head: (session) => inner.head(session),
            list: (range) => inner.list(range),
          })),
        }
        return target.create({ directory: '', seed: 1 })
      },
    },
  },
  {
    name: 'fails instead of ending when wake is aborted',
    caughtBy: ['wake.ends'],
    healthy: memoryTargetWith('memory with wake', () => awake),
    target: memoryTargetWith('fails instead of ending when wake is aborted', () => ({
      wake: async function* (session, signal) {
        yield* awake.wake?.(session, signal) ?? []
        throw new Error('aborted')
      },
    })),
  },
  atEachOpen('leaves a file open at each open', (cleanUp) => {
    const file = openSync('/dev/null', 'r')
    cleanUp(() => closeSync(file))
  }),
  atEachOpen('leaves a timer running at each open', (cleanUp) => {
    const timer = setInterval(() => undefined, 1000)
    cleanUp(() => clearInterval(timer))
  }),
  memoryMutant('leaves a thread running now and then', ['lifecycle.resources'], (inner, { cleanUp }) => {
    let opens = 0
    return {
      async open(options) {
        if (++opens % 8 === 0) {
          const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true })
          worker.unref()
          cleanUp(() => void worker.terminate())
        }
        return inner.open(options)
      },
    }
  }),
]
