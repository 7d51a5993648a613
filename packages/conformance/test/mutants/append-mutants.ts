import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { Backend, EventRecord, Json } from '@turnlog/core/backend'

import { memoryMutant, pause } from './mutant.ts'
import type { Mutant } from './mutant.ts'

type Append = Backend['append']

/** Calls append with other arguments. */
function append(name: string, caughtBy: readonly string[], change: (inner: Backend) => Append): Mutant {
  return memoryMutant(name, caughtBy, (inner) => ({ append: change(inner) }))
}

/** Lets something come back differently from how it was stored. */
function changesError(name: string, caughtBy: readonly string[], change: (error: StoreError) => StoreError): Mutant {
  return append(name, caughtBy, (inner) => async (...args) => {
    try {
      await inner.append(...args)
    } catch (error) {
      throw isStoreError(error) ? change(error) : error
    }
  })
}

const renumbered = (events: readonly EventRecord[], start: number): EventRecord[] =>
  events.map((event, index) => Object.assign({}, event, { seq: start + index }))

/** Throws the error again, if it is a CONFLICT with the events of a session as its cause. */
async function showing(inner: Backend, session: string, error: unknown): Promise<never> {
  if (!isStoreError(error, 'CONFLICT')) throw error
  const events: EventRecord[] = []
  for await (const batch of inner.read(session, [{ from: 1, to: 1e9 }])) events.push(...batch)
  const { expected = 0, actual = 0 } = error
  throw new StoreError('CONFLICT', error.message, { expected, actual, cause: new Error(JSON.stringify(events)) })
}

export const appendMutants: readonly Mutant[] = [
  append(
    'ignores expected.last',
    ['append.conflict.stale', 'model.commands'],
    (inner) => async (session, expected, events, projection) => {
      const head = await inner.head(session)
      const last = head?.last ?? 0
      await inner.append(
        session,
        { last, incarnation: head?.incarnation ?? expected.incarnation },
        renumbered(events, last + 1),
        projection,
      )
    },
  ),
  append(
    'compares, waits, then writes',
    ['append.race.one-wins', 'append.race.one-creates', 'erase.race'],
    (inner) => async (session, expected, events, projection, options) => {
      const head = await inner.head(session)
      if ((head?.last ?? 0) !== expected.last) return inner.append(session, expected, events, projection, options)
      await pause()
      const now = await inner.head(session)
      const last = now?.last ?? 0
      return inner.append(
        session,
        { last, incarnation: now?.incarnation ?? expected.incarnation },
        renumbered(events, last + 1),
        projection,
      )
    },
  ),
  append(
    'swallows a conflict with an old version',
    ['append.conflict.stale', 'append.race.retry'],
    (inner) =>
      async (session, expected, ...rest) => {
        try {
          await inner.append(session, expected, ...rest)
        } catch (error) {
          if (!isStoreError(error, 'CONFLICT') || expected.last === 0) throw error
        }
      },
  ),
  append(
    'creates what should have been there',
    ['append.conflict.missing'],
    (inner) => async (session, expected, events, projection, options) => {
      const head = await inner.head(session)
      if (head !== undefined) return inner.append(session, expected, events, projection, options)
      return inner.append(session, { ...expected, last: 0 }, events, projection, { ...options, import: true })
    },
  ),
  append(
    'replaces a session that must not exist',
    ['append.conflict.exists'],
    (inner) => async (session, expected, events, projection, options) => {
      const head = await inner.head(session)
      if (expected.last === 0 && head !== undefined) await inner.erase(session, head.last)
      return inner.append(session, expected, events, projection, options)
    },
  ),
  append(
    'forgets the incarnation',
    ['append.conflict.incarnation', 'erase.stale-incarnation'],
    (inner) =>
      async (session, expected, ...rest) => {
        const head = await inner.head(session)
        return inner.append(
          session,
          { last: expected.last, incarnation: head?.incarnation ?? expected.incarnation },
          ...rest,
        )
      },
  ),
  ...(
    [
      ['ignores case in incarnations', (incarnation: string) => incarnation.toLowerCase()],
      ['trims incarnations', (incarnation: string) => incarnation.trim()],
      ['normalises incarnations', (incarnation: string) => incarnation.normalize('NFC')],
      ['takes compatible incarnations for one', (incarnation: string) => incarnation.normalize('NFKC')],
      ['cuts incarnations at 64', (incarnation: string) => incarnation.slice(0, 64)],
      [
        'compares incarnations as numbers where it can',
        (incarnation: string) => String(Number(incarnation) || incarnation),
      ],
    ] as const
  ).map(([name, change]) =>
    append(name, ['append.conflict.incarnation.exact'], (inner) => async (session, expected, ...rest) => {
      const found = (await inner.head(session))?.incarnation
      const same = found !== undefined && change(found) === change(expected.incarnation)
      return inner.append(session, same ? { last: expected.last, incarnation: found } : expected, ...rest)
    }),
  ),
  changesError(
    'reports what was expected as what was found',
    ['append.conflict.stale', 'append.race.one-wins'],
    (error) =>
      new StoreError(error.code, error.message, { expected: error.expected ?? 0, actual: error.expected ?? 0 }),
  ),
  changesError('does not say which version was expected', ['append.conflict.stale', 'append.conflict.ahead'], (error) =>
    error.code === 'CONFLICT' ? new StoreError('CONFLICT', error.message, { actual: error.actual ?? 0 }) : error,
  ),
  changesError('says IO instead of CONFLICT', ['append.conflict.stale'], (error) =>
    error.code === 'CONFLICT' ? new StoreError('IO', error.message) : error,
  ),
  append(
    'says in its errors what was to be appended',
    ['append.refused.no-contents'],
    (inner) =>
      (...args) =>
        inner.append(...args).catch((error: unknown) => {
          if (!isStoreError(error)) throw error
          const { code, expected = 0, actual = 0 } = error
          throw new StoreError(code, error.message, { expected, actual, cause: new Error(JSON.stringify(args)) })
        }),
  ),
  memoryMutant('shows in a CONFLICT what the session holds', ['append.refused.no-contents'], (inner) => ({
    append: (session, ...rest) =>
      inner.append(session, ...rest).catch((error: unknown) => showing(inner, session, error)),
    erase: (session, ...rest) =>
      inner.erase(session, ...rest).catch((error: unknown) => showing(inner, session, error)),
  })),
  memoryMutant('shows in a CONFLICT what another session holds', ['append.refused.no-contents'], (inner) => {
    let other = ''
    return {
      async append(session, ...rest) {
        if (other === '') other = session
        await inner.append(session, ...rest).catch((error: unknown) => showing(inner, other, error))
      },
    }
  }),
  append(
    'stores at most 10,000 events of one append',
    ['append.batch.large'],
    (inner) =>
      (session, expected, events, ...rest) =>
        inner.append(session, expected, events.slice(0, 10_000), ...rest),
  ),
  append(
    'refuses an event of 16 MB',
    ['values.twenty-megabytes'],
    (inner) =>
      async (session, expected, events, ...rest) => {
        if (events.some(({ text }) => typeof text === 'string' && text.length > 2 ** 24)) {
          throw new StoreError('TOO_LARGE', 'The event is too large.')
        }
        await inner.append(session, expected, events, ...rest)
      },
  ),
  memoryMutant('does not count the bytes of an import', ['head.bytes.import'], (inner) => {
    const imported = new Map<string, number>()
    return {
      async append(session, expected, events, projection, options) {
        await inner.append(session, expected, events, projection, options)
        if (options?.import === true) imported.set(session, (await inner.head(session))?.bytes ?? 0)
      },
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, bytes: Math.max(1, head.bytes - (imported.get(session) ?? 0)) }
      },
    }
  }),
  append(
    'throws instead of rejecting',
    ['append.invalid.rejects'],
    (inner) => (session, expected, events, projection, options) => {
      if (events.length === 0) throw new StoreError('INVALID_ARGUMENT', 'no events')
      return inner.append(session, expected, events, projection, options)
    },
  ),
  append(
    'accepts an append without events',
    ['append.invalid.empty'],
    (inner) =>
      async (session, expected, events, ...rest) => {
        if (events.length > 0) await inner.append(session, expected, events, ...rest)
      },
  ),
  append(
    'closes gaps by itself',
    [
      'append.invalid.gap',
      'append.invalid.start-late',
      'append.invalid.start-early',
      'append.invalid.repeat',
      'append.invalid.descending',
    ],
    (inner) => async (session, expected, events, projection, options) =>
      inner.append(
        session,
        expected,
        options?.import === true ? events : renumbered(events, expected.last + 1),
        projection,
        options,
      ),
  ),
  append(
    'clamps trimBefore',
    ['append.invalid.trim-beyond'],
    (inner) =>
      async (session, expected, events, projection, options = {}) => {
        const end = expected.last + events.length + 1
        return inner.append(
          session,
          expected,
          events,
          projection,
          options.trimBefore === undefined ? options : { ...options, trimBefore: Math.min(options.trimBefore, end) },
        )
      },
  ),
  append(
    'makes a trimBefore that is no seq right',
    ['append.invalid.trim-below', 'append.invalid.trim-below.negative', 'append.invalid.trim-below.fraction'],
    (inner) =>
      (session, expected, events, projection, options = {}) => {
        const { trimBefore, ...rest } = options
        const right = trimBefore === undefined ? rest : { ...rest, trimBefore: Math.max(1, Math.floor(trimBefore)) }
        return inner.append(session, expected, events, projection, right)
      },
  ),
  append(
    'applies a batch in two halves',
    ['atomicity.read-whole-batches'],
    (inner) => async (session, expected, events, projection, options) => {
      const half = Math.ceil(events.length / 2)
      if (half === events.length) return inner.append(session, expected, events, projection, options)
      await inner.append(session, expected, events.slice(0, half), projection)
      await pause()
      return inner.append(session, { ...expected, last: expected.last + half }, events.slice(half), projection, options)
    },
  ),
  append(
    'stores only the first of several events',
    ['append.continues', 'append.batch.large'],
    (inner) =>
      async (session, expected, events, ...rest) => {
        const found = (await inner.head(session))?.last ?? 0
        return inner.append(
          session,
          found === expected.last ? expected : { ...expected, last: Math.min(found, expected.last) },
          events.slice(0, 1),
          ...rest,
        )
      },
  ),
  append(
    'trims first and appends later',
    ['atomicity.trim-with-append', 'trim.refused-append'],
    (inner) => async (session, expected, events, projection, options) => {
      const head = await inner.head(session)
      const trimBefore = options?.trimBefore
      if (head === undefined || trimBefore === undefined || trimBefore > head.last + 1 || trimBefore <= head.first)
        return inner.append(session, expected, events, projection, options)
      // The only way to trim a memory backend by itself is to make the session anew from what is left.
      const kept: EventRecord[] = []
      for await (const batch of inner.read(session, [{ from: trimBefore, to: head.last }])) kept.push(...batch)
      await inner.erase(session, head.last)
      const filler = kept.length > 0 ? kept : [{ seq: head.last, id: 'x', type: 'T', v: 1, at: 1 }]
      await inner.append(session, { last: 0, incarnation: head.incarnation }, filler, head.projection, {
        import: true,
        ...(kept.length > 0 ? {} : { trimBefore }),
      })
      await pause()
      return inner.append(session, expected, events, projection)
    },
  ),
  append(
    'ignores trimBefore',
    ['trim.moves-start', 'trim.everything', 'trim.often', 'import.trims'],
    (inner) =>
      async (session, expected, events, projection, options = {}) => {
        const { trimBefore: _trimBefore, ...rest } = options
        return inner.append(session, expected, events, projection, rest)
      },
  ),
  append(
    'trims one event too many',
    ['trim.moves-start'],
    (inner) =>
      async (session, expected, events, projection, options = {}) => {
        const end = expected.last + events.length + 1
        const { trimBefore } = options
        return inner.append(
          session,
          expected,
          events,
          projection,
          trimBefore === undefined || trimBefore >= end ? options : { ...options, trimBefore: trimBefore + 1 },
        )
      },
  ),
  append(
    'reuses numbers after everything was trimmed',
    ['trim.never-reuses', 'trim.everything'],
    (inner) => async (session, expected, events, projection, options) => {
      await inner.append(session, expected, events, projection, options)
      const last = events.at(-1)?.seq ?? 0
      if (options?.trimBefore === last + 1) await inner.erase(session, last)
    },
  ),
  append(
    'ignores import',
    ['import.begins-later'],
    (inner) =>
      async (session, expected, events, projection, options = {}) => {
        const { import: _import, ...rest } = options
        return inner.append(session, expected, events, projection, rest)
      },
  ),
  append(
    'renumbers an import from 1',
    ['import.begins-later', 'import.continues'],
    (inner) =>
      async (session, expected, events, projection, options = {}) => {
        const { import: asked, ...rest } = options
        return inner.append(session, expected, asked === true ? renumbered(events, 1) : events, projection, rest)
      },
  ),
  append(
    'imports without being asked',
    ['import.only-when-asked'],
    (inner) => async (session, expected, events, projection, options) =>
      inner.append(session, expected, events, projection, expected.last === 0 ? { ...options, import: true } : options),
  ),
  append(
    'imports over what is there',
    ['import.exists'],
    (inner) => async (session, expected, events, projection, options) => {
      const head = await inner.head(session)
      if (options?.import === true && head !== undefined) await inner.erase(session, head.last)
      return inner.append(
        session,
        { ...expected, last: options?.import === true ? 0 : expected.last },
        events,
        projection,
        options,
      )
    },
  ),
  append('stores an id once only', ['append.same-ids-again'], (inner) => {
    const seen = new Set<Json>()
    return async (session, expected, events, ...rest) => {
      await inner.append(
        session,
        expected,
        events.map((event) => (seen.has(event.id) ? Object.assign({}, event, { id: `${event.id}'` }) : event)),
        ...rest,
      )
      for (const { id } of events) seen.add(id)
    }
  }),
  append(
    'sorts a batch by time',
    ['append.time-is-information'],
    (inner) =>
      async (session, expected, events, ...rest) =>
        inner.append(
          session,
          expected,
          renumbered(
            [...events].sort((a, b) => a.at - b.at),
            events[0]?.seq ?? 1,
          ),
          ...rest,
        ),
  ),
  append('acknowledges before it has stored', ['append.visible', 'append.creates'], (inner) => async (...args) => {
    void pause()
      .then(() => inner.append(...args))
      .catch(() => undefined)
  }),
  append('resolves with a value', ['append.resolves-undefined'], (inner) => async (...args) => {
    await inner.append(...args)
    return 1 as unknown as undefined
  }),
  memoryMutant('stores one projection for all sessions', ['append.sessions-apart', 'projection.latest'], (inner) => {
    let latest: Json = null
    return {
      async append(session, expected, events, projection, options) {
        await inner.append(session, expected, events, projection, options)
        latest = projection
      },
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, projection: latest }
      },
      list: async function* (range) {
        for await (const batch of inner.list(range))
          yield batch.map((head) => Object.assign({}, head, { projection: null }))
      },
    }
  }),
  memoryMutant(
    'stores the projection after the events',
    ['atomicity.head-with-projection', 'atomicity.list-with-projection'],
    (inner) => {
      const projections = new Map<string, Json>()
      return {
        async append(session, expected, events, projection, options) {
          await inner.append(session, expected, events, projection, options)
          await pause()
          projections.set(session, projection)
        },
        async head(session) {
          const head = await inner.head(session)
          return head && { ...head, projection: projections.get(session) ?? null }
        },
        list: async function* (range) {
          for await (const batch of inner.list(range))
            yield batch.map((head) => Object.assign({}, head, { projection: projections.get(head.session) ?? null }))
        },
      }
    },
  ),
  memoryMutant('loses the projection', ['projection.latest', 'head.fields'], (inner) => ({
    async head(session) {
      const head = await inner.head(session)
      return head && { ...head, projection: null }
    },
  })),
  append(
    'keeps no projection of more than 65,535 bytes',
    ['projection.large'],
    (inner) => (session, expected, events, projection, options) =>
      inner.append(session, expected, events, JSON.stringify(projection).length > 65_535 ? null : projection, options),
  ),
  memoryMutant('keeps the first projection', ['projection.latest'], (inner) => {
    const firsts = new Map<string, Json>()
    return {
      async append(session, expected, events, projection, options) {
        if (!firsts.has(session)) firsts.set(session, projection)
        await inner.append(session, expected, events, firsts.get(session) ?? projection, options)
      },
    }
  }),
  memoryMutant('stores the projection of a refused append', ['projection.refused-append'], (inner) => {
    const projections = new Map<string, Json>()
    return {
      async append(session, expected, events, projection, options) {
        projections.set(session, projection)
        await inner.append(session, expected, events, projection, options)
      },
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, projection: projections.get(session) ?? null }
      },
    }
  }),
  memoryMutant('drops a falsy projection', ['projection.falsy'], (inner) => {
    let before: Json = 'before'
    return {
      async append(session, expected, events, projection, options) {
        before = projection || before // eslint-disable-line typescript/prefer-nullish-coalescing -- the defect
        await inner.append(session, expected, events, before, options)
      },
    }
  }),
  append(
    'looks at the arguments before the version',
    ['append.conflict.before-arguments'],
    (inner) => async (session, expected, events, projection, options) => {
      if ((options?.trimBefore ?? 0) > expected.last + events.length + 1)
        throw new StoreError('INVALID_ARGUMENT', 'trimBefore')
      return inner.append(session, expected, events, projection, options)
    },
  ),
  append('writes one session at a time and refuses the others', ['append.race.sessions-in-parallel'], (inner) => {
    let busy = false
    return async (...args) => {
      if (busy) throw new StoreError('LOCKED', 'busy')
      busy = true
      try {
        await pause()
        await inner.append(...args)
      } finally {
        busy = false
      }
    }
  }),
  append(
    'trims nothing of the append itself',
    ['trim.own-events', 'import.trims'],
    (inner) =>
      async (session, expected, events, projection, options = {}) => {
        const { trimBefore, ...rest } = options
        return inner.append(
          session,
          expected,
          events,
          projection,
          trimBefore === undefined ? rest : { ...rest, trimBefore: Math.min(trimBefore, expected.last + 1) },
        )
      },
  ),
  append(
    'has 48 bits for a seq',
    ['import.begins-later'],
    (inner) => async (session, expected, events, projection, options) => {
      if (events.some(({ seq }) => seq >= 2 ** 48)) throw new StoreError('INVALID_ARGUMENT', 'The seq is too large.')
      await inner.append(session, expected, events, projection, options)
    },
  ),
  append(
    'mends the numbers of an import',
    ['import.invalid'],
    (inner) => async (session, expected, events, projection, options) =>
      inner.append(
        session,
        expected,
        options?.import === true ? renumbered(events, Math.max(1, events[0]?.seq ?? 1)) : events,
        projection,
        options,
      ),
  ),
  memoryMutant('tells of an append before it can be read', ['atomicity.read-after-head'], (inner) => {
    const announced = new Map<string, number>()
    return {
      async append(session, expected, events, projection, options) {
        announced.set(session, expected.last + events.length)
        await pause()
        await pause()
        await inner.append(session, expected, events, projection, options)
      },
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, last: announced.get(session) ?? head.last }
      },
    }
  }),
]
