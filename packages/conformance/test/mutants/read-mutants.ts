import { closeSync, openSync } from 'node:fs'

import { StoreError } from '@turnlog/core/backend'
import type { Backend, EventRecord, Head } from '@turnlog/core/backend'

import { memoryMutant, pause } from './mutant.ts'
import type { Mutant } from './mutant.ts'

type Read = Backend['read']

const headsOfTheProcess = new Map<string, Head>()

function read(name: string, caughtBy: readonly string[], change: (inner: Backend) => Read): Mutant {
  return memoryMutant(name, caughtBy, (inner) => ({ read: change(inner) }))
}

export const readMutants: readonly Mutant[] = [
  read('gives a place in use to another session when it runs out of them', ['atomicity.sessions-apart'], (inner) => {
    const places: string[] = []
    let next = 0
    return async function* (session, ranges, options) {
      const place = next++ % 8
      places[place] = session
      await pause()
      yield* inner.read(places[place] ?? session, ranges, options)
    }
  }),
  read(
    'reads one too many at `to`',
    ['read.range.ends', 'read.range.matrix'],
    (inner) => (session, ranges, options) =>
      inner.read(
        session,
        ranges.map(({ from, to }, index) => ({ from, to: index === ranges.length - 1 && to < 1e9 ? to + 1 : to })),
        options,
      ),
  ),
  read(
    'leaves out the event at `to`',
    ['read.range.ends'],
    (inner) => (session, ranges, options) =>
      inner.read(
        session,
        ranges.map(({ from, to }) => ({ from, to: to < 1e9 ? to - 1 : to })),
        options,
      ),
  ),
  read(
    'refuses a range beyond the end',
    ['read.range.beyond'],
    (inner) =>
      async function* (session, ranges, options) {
        const head = await inner.head(session)
        if (head !== undefined && ranges.some(({ to }) => to > head.last + 1 && to < 1e9))
          throw new StoreError('INVALID_ARGUMENT', 'beyond the end')
        yield* inner.read(session, ranges, options)
      },
  ),
  read(
    'ignores limit',
    ['read.limit', 'read.ranges.several'],
    (inner) =>
      (session, ranges, { limit: _limit, ...options } = {}) =>
        inner.read(session, ranges, options),
  ),
  read('takes limit 0 for no limit', ['read.limit'], (inner) => (session, ranges, options = {}) => {
    const { limit, ...rest } = options
    return inner.read(session, ranges, limit === 0 ? rest : options)
  }),
  read(
    'counts limit for each range',
    ['read.limit', 'read.ranges.several'],
    (inner) =>
      async function* (session, ranges, options) {
        for (const range of options?.reverse === true ? [...ranges].reverse() : ranges)
          yield* inner.read(session, [range], options)
      },
  ),
  read(
    'never gives more than 1,000 events',
    ['read.limit', 'read.long'],
    (inner) =>
      (session, ranges, options = {}) =>
        inner.read(session, ranges, { ...options, limit: Math.min(1000, options.limit ?? 1000) }),
  ),
  read(
    'ignores reverse',
    ['read.reverse'],
    (inner) =>
      (session, ranges, { reverse: _reverse, ...options } = {}) =>
        inner.read(session, ranges, options),
  ),
  read(
    'reverses within each range only',
    ['read.reverse'],
    (inner) =>
      async function* (session, ranges, options) {
        for (const range of ranges) yield* inner.read(session, [range], options)
      },
  ),
  read(
    'reverses by default',
    ['read.reverse', 'append.continues'],
    (inner) =>
      (session, ranges, options = {}) =>
        inner.read(session, ranges, { reverse: true, ...options }),
  ),
  read(
    'gives an empty batch at the end',
    ['read.batch.never-empty'],
    (inner) =>
      async function* (session, ranges, options) {
        yield* inner.read(session, ranges, options)
        yield []
      },
  ),
  ...[100, 5000].map((size) =>
    read(
      `reads in pages of ${size} without a snapshot`,
      ['read.snapshot.append', 'read.snapshot.trim', 'read.snapshot.new-incarnation', 'erase.running-reader'],
      (inner) =>
        async function* (session, ranges, options = {}) {
          let left = options.limit ?? Infinity
          const { reverse = false, signal } = options
          for (const range of reverse ? [...ranges].reverse() : ranges) {
            let { from, to } = range
            while (left > 0) {
              const batch: EventRecord[] = []
              for await (const some of inner.read(session, [{ from, to }], {
                reverse,
                limit: Math.min(left, size),
                ...(signal === undefined ? {} : { signal }),
              }))
                batch.push(...some)
              const last = batch.at(-1)
              if (last === undefined) break
              yield batch
              left -= batch.length
              if (reverse) to = last.seq - 1
              else from = last.seq + 1
            }
          }
        },
    ),
  ),
  read(
    'gives pages of 5,000 and looks neither at the signal nor at close between them',
    ['read.abort.between', 'lifecycle.read.closed-meanwhile', 'lifecycle.read.belongs-to-its-opening'],
    (inner) =>
      async function* (session, ranges, options) {
        const events: EventRecord[] = []
        for await (const batch of inner.read(session, ranges, options)) events.push(...batch)
        for (let start = 0; start < events.length; start += 5000) yield events.slice(start, start + 5000)
      },
  ),
  memoryMutant(
    'keeps the bounds of a read, not its events, and removes what is trimmed with a later append',
    ['read.snapshot.trim'],
    (inner) => {
      const rows = new Map<string, Map<number, EventRecord>>()
      const doomed = new Map<string, number>()
      return {
        async append(session, expected, events, projection, options) {
          await inner.append(session, expected, events, projection, options)
          const own = rows.get(session) ?? new Map<number, EventRecord>()
          rows.set(session, own)
          for (const seq of own.keys()) if (seq < (doomed.get(session) ?? 0)) own.delete(seq)
          doomed.set(session, options?.trimBefore ?? 0)
          for (const event of events) own.set(event.seq, event)
        },
        read: async function* (session, ranges, options) {
          for await (const batch of inner.read(session, ranges, options)) {
            const found = batch.flatMap(({ seq }) => rows.get(session)?.get(seq) ?? [])
            if (found.length > 0) yield found
          }
        },
      }
    },
  ),
  read(
    'lets the error of its database through when its session is erased',
    ['erase.running-reader'],
    (inner) =>
      async function* (session, ranges, options) {
        for await (const batch of inner.read(session, ranges, options)) {
          if ((await inner.head(session)) === undefined) throw new TypeError('the cursor is gone')
          yield batch
        }
      },
  ),
  read(
    'reads each range from a snapshot of its own',
    ['read.snapshot.ranges'],
    (inner) =>
      async function* (session, ranges, options) {
        for (const range of options === undefined ? ranges : []) {
          yield* inner.read(session, [range])
          await pause()
        }
        if (options !== undefined) yield* inner.read(session, ranges, options)
      },
  ),
  read(
    'sorts and joins ranges that overlap',
    ['read.invalid.order'],
    (inner) =>
      async function* (session, ranges, options) {
        const sorted = [...ranges].sort((a, b) => a.from - b.from)
        let end = 0
        const joined = sorted.flatMap(({ from, to }) => {
          const range = { from: Math.max(from, end + 1), to }
          end = Math.max(end, to)
          return range.to >= range.from ? [range] : []
        })
        yield* inner.read(session, joined, options)
      },
  ),
  read(
    'refuses a range that is empty',
    ['read.range.empty'],
    (inner) =>
      async function* (session, ranges, options) {
        if (ranges.some(({ from, to }) => to < from))
          throw new StoreError('INVALID_ARGUMENT', 'it ends before it begins')
        yield* inner.read(session, ranges, options)
      },
  ),
  read('makes numbers of a read right', ['read.invalid.numbers'], (inner) => (session, ranges, options = {}) => {
    const right = (number: number, least: number): number =>
      Math.max(least, Math.min(Math.floor(number), Number.MAX_SAFE_INTEGER))
    const { limit, ...rest } = options
    return inner.read(
      session,
      ranges.map(({ from, to }) => ({ from: right(from, 1), to: right(to, 0) })),
      limit === undefined ? rest : { ...rest, limit: right(limit, 0) },
    )
  }),
  read(
    'refuses ranges that touch',
    ['read.range.adjacent'],
    (inner) =>
      async function* (session, ranges, options) {
        if (ranges.some(({ from }, index) => from === (ranges[index - 1]?.to ?? -1) + 1))
          throw new StoreError('INVALID_ARGUMENT', 'they touch')
        yield* inner.read(session, ranges, options)
      },
  ),
  read(
    'reverses each page by itself when there is a limit',
    ['read.ranges.long'],
    (inner) =>
      async function* (session, ranges, options = {}) {
        const { reverse, limit } = options
        const isWrong = reverse === true && limit !== undefined
        const events: EventRecord[] = []
        for await (const batch of inner.read(session, ranges, options)) events.push(...batch)
        if (isWrong) events.reverse()
        for (let start = 0; start < events.length; start += 1024) {
          const page = events.slice(start, start + 1024)
          yield isWrong ? page.reverse() : page
        }
      },
  ),
  read(
    'forgets the ranges before the one in which a page ends, in reverse',
    ['read.ranges.long'],
    (inner) =>
      async function* (session, ranges, options) {
        for await (const batch of inner.read(session, ranges, options)) {
          const from = options?.reverse === true && batch.length === 1024 ? (ranges.at(-1)?.from ?? 1) : 1
          const found = batch.filter(({ seq }) => seq >= from)
          if (found.length > 0) yield found
        }
      },
  ),
  read(
    'takes the first 100 ranges only',
    ['read.ranges.many'],
    (inner) => (session, ranges, options) => inner.read(session, ranges.slice(0, 100), options),
  ),
  read(
    'fails for an unknown session',
    ['read.unknown'],
    (inner) =>
      async function* (session, ranges, options) {
        if ((await inner.head(session)) === undefined) throw new StoreError('NOT_FOUND', 'no such session')
        yield* inner.read(session, ranges, options)
      },
  ),
  read(
    'ignores the signal',
    ['read.abort.before', 'read.abort.between'],
    (inner) =>
      (session, ranges, { signal: _signal, ...options } = {}) =>
        inner.read(session, ranges, options),
  ),
  read(
    'ends quietly when the signal aborts',
    ['read.abort.before', 'read.abort.between'],
    (inner) =>
      async function* (session, ranges, options) {
        try {
          yield* inner.read(session, ranges, options)
        } catch (error) {
          if (options?.signal?.aborted !== true) throw error
        }
      },
  ),
  read(
    'rejects with an error of its own when the signal aborts',
    ['read.abort.before', 'read.abort.between'],
    (inner) =>
      async function* (session, ranges, options) {
        try {
          yield* inner.read(session, ranges, options)
        } catch (error) {
          throw options?.signal?.aborted === true ? new Error('aborted') : error
        }
      },
  ),
  read(
    'leaves its listener on the signal',
    ['read.abort.leaves-no-listener'],
    (inner) => (session, ranges, options) => {
      options?.signal?.addEventListener('abort', () => undefined)
      return inner.read(session, ranges, options)
    },
  ),
  memoryMutant(
    'holds a file for each read that was left early',
    ['read.break.releases', 'read.throw.releases'],
    (inner, { cleanUp }) => ({
      read: async function* (session, ranges, options) {
        const file = openSync('/dev/null', 'r')
        let open = true
        cleanUp(() => open && closeSync(file))
        yield* inner.read(session, ranges, options)
        open = false
        closeSync(file)
      },
    }),
  ),
  read('shares one place between all readers', ['read.parallel'], (inner) => {
    let place = 0
    return async function* (session, ranges, options) {
      place = 0
      for await (const batch of inner.read(session, ranges, options)) {
        for (; place < batch.length;) {
          yield batch.slice(place, place + 50)
          place += 50
          await pause()
        }
        place = 0
      }
    }
  }),
  memoryMutant('says 0 bytes', ['head.bytes', 'head.bytes.grows'], (inner) => ({
    async head(session) {
      const head = await inner.head(session)
      return head && { ...head, bytes: 0 }
    },
  })),
  memoryMutant('counts what was trimmed among its bytes', ['head.bytes.falls'], (inner) => {
    const most = new Map<string, number>()
    return {
      async head(session) {
        const head = await inner.head(session)
        if (head === undefined) return undefined
        most.set(session, Math.max(head.bytes, most.get(session) ?? 0))
        return { ...head, bytes: most.get(session) ?? 0 }
      },
    }
  }),
  memoryMutant('keeps one cache of heads for all stores of the process', ['append.stores-apart'], (inner) => ({
    async append(session, ...rest) {
      await inner.append(session, ...rest)
      headsOfTheProcess.delete(session)
    },
    async head(session) {
      const head = headsOfTheProcess.get(session) ?? (await inner.head(session))
      if (head !== undefined) headsOfTheProcess.set(session, head)
      return head
    },
  })),
  memoryMutant('says first is last when everything is trimmed', ['trim.everything'], (inner) => ({
    async head(session) {
      const head = await inner.head(session)
      return head && { ...head, first: Math.min(head.first, head.last) }
    },
  })),
  memoryMutant('forgets a session of which everything is trimmed', ['trim.everything'], (inner) => ({
    async head(session) {
      const head = await inner.head(session)
      return head === undefined || head.first > head.last ? undefined : head
    },
  })),
  memoryMutant('fails for the head of an unknown session', ['head.unknown'], (inner) => ({
    async head(session) {
      const head = await inner.head(session)
      if (head === undefined) throw new StoreError('NOT_FOUND', 'no such session')
      return head
    },
  })),
  memoryMutant(
    'says that every session begins at 1',
    ['head.fields', 'trim.monotone', 'trim.moves-start'],
    (inner) => ({
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, first: 1 }
      },
    }),
  ),
  memoryMutant('moves the logical start back when asked', ['trim.monotone'], (inner) => {
    const firsts = new Map<string, number>()
    const firstOf = (session: string): number => firsts.get(session) ?? 1
    return {
      async append(session, expected, events, projection, { trimBefore, ...options } = {}) {
        await inner.append(session, expected, events, projection, options)
        if (trimBefore !== undefined) firsts.set(session, trimBefore)
      },
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, first: firstOf(session) }
      },
      read: async function* (session, ranges, options) {
        for await (const batch of inner.read(session, ranges, options)) {
          const kept = batch.filter(({ seq }) => seq >= firstOf(session))
          if (kept.length > 0) yield kept
        }
      },
    }
  }),
  memoryMutant('gives up a snapshot after a hundred writes', ['read.snapshot.many-writes'], (inner) => {
    let writes = 0
    return {
      async append(...args) {
        await inner.append(...args)
        writes++
      },
      read: async function* (...args) {
        const start = writes
        for await (const batch of inner.read(...args)) {
          if (writes > start + 100) return
          yield batch
        }
      },
    }
  }),
  read(
    'gives at most 100,000 events',
    ['read.very-long'],
    (inner) => (session, ranges, options) =>
      inner.read(session, ranges, { ...options, limit: Math.min(options?.limit ?? Infinity, 100_000) }),
  ),
  read(
    'looks at the first 4,096 ranges',
    ['read.ranges.many'],
    (inner) => (session, ranges, options) => inner.read(session, ranges.slice(0, 4096), options),
  ),
]
