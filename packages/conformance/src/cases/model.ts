import { join } from 'node:path'

import type { Case } from '../context/case.ts'
import { crashingStore } from '../model/crashing-store.ts'
import { localStore } from '../model/local-store.ts'
import { runModel } from '../model/run-model.ts'

export const modelCases: readonly Case[] = [
  {
    id: 'model.commands',
    level: 'must',
    promise:
      'Any sequence of appends, trims, erases, reads, lists and reopens gives what a model of a few lines gives.',
    prevents: 'Two operations that are right alone are wrong together.',
    starts: 'closed',
    timeoutMs: 120_000,
    async run(context) {
      const create = async () => localStore(await context.createHarness())
      await runModel(context, create, { runs: 30, commands: 50 })
    },
  },
  {
    id: 'model.crashes',
    level: 'must',
    promise: 'Any sequence of operations with crashes between them gives what a model gives that knows no crash.',
    prevents: 'A crash between two operations changes what the next ones do.',
    requires: ['persistent', 'durable', 'module'],
    starts: 'closed',
    timeoutMs: 120_000,
    async run({ target, root, seed, count }) {
      let runs = 0
      const create = () => crashingStore(target.module ?? '', join(root, `crashed-${runs++}`))
      await runModel({ seed, count }, create, { runs: 3, commands: 25 })
    },
  },
]
