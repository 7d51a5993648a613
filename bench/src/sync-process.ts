import { access, mkdirSync } from 'node:fs'

import { syncContestants } from './contestants/index.ts'
import { BEGIN_MARK, END_MARK } from './count-syncs.ts'
import { MessageGenerator } from './message-generator.ts'

/** Runs under strace: appends between two marks. */
const [id, directory = '', count = '0'] = process.argv.slice(2)
const contestant = syncContestants.find((candidate) => candidate.id === id)
if (contestant === undefined) throw new Error(`There is no contestant ${id}.`)

const mark = (path: string): Promise<void> =>
  new Promise((resolve) => {
    access(path, () => resolve())
  })

mkdirSync(directory, { recursive: true })
const keeper = await contestant.open(directory)
const generator = new MessageGenerator(1)
await keeper.append('session', generator.next())
await mark(BEGIN_MARK)
for (const message of generator.take(Number(count))) await keeper.append('session', message)
await mark(END_MARK)
await keeper.close()
