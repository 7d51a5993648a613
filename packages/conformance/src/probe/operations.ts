import type { Backend } from '@turnlog/core/backend'

import { ALL } from './collect.ts'

export interface Operation {
  readonly name: string
  readonly run: () => Promise<unknown>
}

/** Every method that needs an open backend, called with arguments that would be right on an empty store. */
export function operations(backend: Backend): readonly Operation[] {
  const event = { seq: 1, id: 'one', type: 'MessageAdded', v: 1, at: 1 }
  const { maintenance } = backend
  const wake = backend.wake?.bind(backend)
  return [
    { name: 'append', run: () => backend.append('some', { last: 0, incarnation: 'incarnation' }, [event], null) },
    { name: 'head', run: () => backend.head('some') },
    { name: 'erase', run: () => backend.erase('some', 0) },
    { name: 'read', run: () => backend.read('some', ALL)[Symbol.asyncIterator]().next() },
    { name: 'list', run: () => backend.list()[Symbol.asyncIterator]().next() },
    ...(wake === undefined
      ? []
      : [
          {
            name: 'wake',
            run: () => wake('some', new AbortController().signal)[Symbol.asyncIterator]().next(),
          },
        ]),
    ...(maintenance === undefined
      ? []
      : [
          { name: 'verify', run: () => maintenance.verify() },
          { name: 'reclaim', run: () => maintenance.reclaim() },
          { name: 'sizes', run: () => maintenance.sizes() },
        ]),
  ]
}
