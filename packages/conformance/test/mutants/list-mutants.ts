import type { Backend, SessionHead } from '@turnlog/core/backend'
import { closeSync, openSync } from 'node:fs'

import { memoryMutant } from './mutant.ts'
import type { Mutant } from './mutant.ts'

type Change = (heads: SessionHead[], range: NonNullable<Parameters<Backend['list']>[0]>) => SessionHead[]

/** Lists everything and then filters in its own way. */
function list(name: string, caughtBy: readonly string[], change: Change): Mutant {
  return memoryMutant(name, caughtBy, (inner) => ({
    list: async function* (range = {}) {
      const heads: SessionHead[] = []
      for await (const batch of inner.list()) heads.push(...batch)
      const changed = change(heads, range)
      if (changed.length > 0) yield changed
    },
  }))
}

const right: Change = (heads, { prefix = '', after, limit }) =>
  heads
    .filter(
      ({ session }) =>
        session.startsWith(prefix) &&
        (after === undefined || Buffer.compare(Buffer.from(session), Buffer.from(after)) > 0),
    )
    .slice(0, limit)

export const listMutants: readonly Mutant[] = [
  list('orders keys by UTF-16', ['list.byte-order'], (heads, range) =>
    right(heads, range).sort((a, b) => (a.session < b.session ? -1 : 1)),
  ),
  list('orders keys as a dictionary does', ['list.byte-order'], (heads, range) =>
    right(heads, range).sort((a, b) => a.session.localeCompare(b.session, 'de')),
  ),
  list('lists in the order of creation', ['list.byte-order', 'list.paging'], (heads, range) =>
    right(heads, range).sort((a, b) => a.incarnation.localeCompare(b.incarnation)),
  ),
  list('lists a session twice', ['list.every-session-once'], (heads, range) =>
    right(heads, range).flatMap((head) => [head, head]),
  ),
  list('leaves out sessions of which everything is trimmed', ['list.every-session-once'], (heads, range) =>
    right(heads, range).filter(({ first, last }) => first <= last),
  ),
  list('lists a thousand sessions at most', ['list.thousand'], (heads, range) => right(heads, range).slice(0, 1000)),
  list('ignores prefix', ['list.prefix'], (heads, { prefix: _prefix, ...range }) => right(heads, range)),
  list('takes a prefix for a pattern', ['list.prefix'], (heads, { prefix = '', ...range }) =>
    right(
      heads.filter(({ session }) =>
        new RegExp(`^${prefix.replaceAll('%', '.*').replaceAll('_', '.').replaceAll('*', '\\*')}`, 'su').test(session),
      ),
      range,
    ),
  ),
  list('takes a prefix for a GLOB', ['list.prefix'], (heads, { prefix = '', ...range }) => {
    const pattern = prefix
      .replaceAll(/[.^$()|+{}\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
      .replaceAll(/\[(?![^\]]+\])/g, String.raw`\[`)
    return right(
      heads.filter(({ session }) => new RegExp(`^${pattern}`, 'su').test(session)),
      range,
    )
  }),
  list('takes a backslash in a prefix for an escape', ['list.prefix'], (heads, { prefix = '', ...range }) =>
    right(heads, { ...range, prefix: prefix.replaceAll('\\', '') }),
  ),
  list('lists from a prefix to the prefix and U+10FFFF', ['list.prefix'], (heads, { prefix = '', ...range }) =>
    right(
      heads.filter(
        ({ session }) =>
          prefix === '' ||
          (Buffer.compare(Buffer.from(session), Buffer.from(prefix)) >= 0 &&
            Buffer.compare(Buffer.from(session), Buffer.from(`${prefix}\u{10ffff}`)) < 0),
      ),
      range,
    ),
  ),
  memoryMutant('looks at close only when a list begins', ['lifecycle.list.closed-meanwhile'], (inner) => ({
    list: async function* (range) {
      const heads: SessionHead[] = []
      for await (const batch of inner.list(range)) heads.push(...batch)
      for (let start = 0; start < heads.length; start += 1024) yield heads.slice(start, start + 1024)
    },
  })),
  list('finds a prefix anywhere', ['list.prefix'], (heads, { prefix = '', ...range }) =>
    right(
      heads.filter(({ session }) => session.includes(prefix)),
      range,
    ),
  ),
  list('gives the key of `after` again', ['list.after', 'list.paging'], (heads, { after, ...range }) =>
    right(
      heads.filter(
        ({ session }) => after === undefined || Buffer.compare(Buffer.from(session), Buffer.from(after)) >= 0,
      ),
      range,
    ),
  ),
  list('wants `after` to exist', ['list.after'], (heads, { after, ...range }) => {
    const index = heads.findIndex(({ session }) => session === after)
    return right(heads.slice(index + 1), range)
  }),
  list(
    'ignores limit in lists',
    ['list.matrix', 'list.batch.never-empty'].slice(0, 1),
    (heads, { limit: _limit, ...range }) => right(heads, range),
  ),
  list('counts limit before prefix', ['list.matrix'], (heads, { limit, ...range }) =>
    right(heads.slice(0, limit), range),
  ),
  memoryMutant('gives an empty batch of heads', ['list.batch.never-empty', 'list.empty'], (inner) => ({
    list: async function* (range) {
      yield []
      yield* inner.list(range)
    },
  })),
  memoryMutant('walks a list by position', ['list.stable'], (inner) => ({
    list: async function* (range) {
      for (let place = 0; ; place++) {
        const heads: SessionHead[] = []
        for await (const batch of inner.list(range)) heads.push(...batch)
        const head = heads[place]
        if (head === undefined) return
        yield [head]
      }
    },
  })),
  memoryMutant('holds a file for each list that was left early', ['list.break.releases'], (inner, { cleanUp }) => ({
    list: async function* (range) {
      const file = openSync('/dev/null', 'r')
      let open = true
      cleanUp(() => open && closeSync(file))
      yield* inner.list(range)
      open = false
      closeSync(file)
    },
  })),
  memoryMutant('lists other heads than head gives', ['head.equals-list'], (inner) => ({
    list: async function* (range) {
      for await (const batch of inner.list(range)) yield batch.map((head) => Object.assign({}, head, { first: 1 }))
    },
  })),
  memoryMutant('counts how far a list has come', ['list.thousands-come-and-go'], (inner) => ({
    list: async function* (range) {
      for (let skip = 0; ; skip += 100) {
        const heads: SessionHead[] = []
        for await (const batch of inner.list(range)) heads.push(...batch)
        const page = heads.slice(skip, skip + 100)
        if (page.length === 0) return
        yield page
      }
    },
  })),
  memoryMutant('lists on after it was closed and opened', ['lifecycle.list.belongs-to-its-opening'], (inner) => ({
    list: async function* ({ limit = Infinity, ...range } = {}) {
      let { after } = range
      for (let left = limit; left > 0; left--) {
        let head: SessionHead | undefined
        for await (const [first] of inner.list({ ...range, ...(after === undefined ? {} : { after }), limit: 1 }))
          head = first
        if (head === undefined) return
        after = head.session
        yield [head]
      }
    },
  })),
]
