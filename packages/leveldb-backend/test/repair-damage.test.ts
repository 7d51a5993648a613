import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { Backend, Problem } from '@turnlog/core/backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'
import { checkTable, parseLog } from '@turnlog/leveldb-files'

import {
  copyStore,
  event,
  filesNamed,
  flip,
  grow,
  openBackend,
  readAll,
  repair,
  SMALL_BLOCKS,
  temporaryDirectory,
  writeGenerations,
} from './sample-store.ts'

function blocksOf(path: string): readonly { readonly file: string; readonly at: number }[] {
  return filesNamed(path, /\.ldb$/).flatMap((file) => {
    const checked = checkTable(file, statSync(file).size)
    if ('problem' in checked) throw new Error(checked.problem)
    let end = 0
    return checked.sizes.map((size) => ({ file: basename(file), at: (end += size) - size + 10 }))
  })
}

/** Which of the events 1 to `last` no action says to be gone. */
function unnamed(gone: readonly number[], session: string, actions: readonly Problem[]): readonly number[] {
  const messages = actions.filter((action) => action.session === session).map(({ message }) => message)
  return gone.filter((seq) =>
    messages.every((message) => {
      const [, from, to, first, last] = /events (\d+) to (\d+) of (\d+) to (\d+)/.exec(message) ?? []
      const isOutside = seq < Number(from) || seq > Number(to)
      return !(isOutside && seq >= Number(first) && seq <= Number(last))
    }),
  )
}

/** After a repair: verify is content, every session can be read and grows. Gives the seqs that each has. */
async function judge(backend: Backend, sessions: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const seqs = new Map<string, readonly number[]>()
  await backend.open()
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  for (const session of sessions) {
    const events = await readAll(backend, session)
    for (const each of events) expect(each).toEqual(event(each.seq))
    seqs.set(
      session,
      events.map(({ seq }) => seq),
    )
    const { last = 0, incarnation = 'another life' } = (await backend.head(session)) ?? {}
    const added = [event(last + 1), event(last + 2)]
    await backend.append(session, { last, incarnation }, added, {})
    expect(await readAll(backend, session)).toEqual([...events, ...added])
  }
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  await backend.close()
  return seqs
}

test(
  'whatever block is damaged, repair names each event that is gone, and the store works again',
  { timeout: 120_000 },
  async () => {
    const base = temporaryDirectory()
    // The deletions of a session with a long name fill blocks of their own.
    const sessions = ['p'.repeat(150), 'q']
    await writeGenerations(base, sessions)
    const path = join(temporaryDirectory(), 'copy')
    const cuts = new Set<string>()
    for (const { file, at } of blocksOf(base)) {
      copyStore(base, path)
      flip(join(path, file), at)
      const backend = leveldbBackend({ path, ...SMALL_BLOCKS })
      const { actions } = await repair(backend)
      expect(actions[0]).toMatchObject({ file: join(path, file) })
      const seqs = await judge(backend, sessions)
      for (const session of sessions) {
        const left = new Set(seqs.get(session))
        const gone = Array.from({ length: 66 }, (_, index) => index + 1).filter((seq) => !left.has(seq))
        expect(unnamed(gone, session, actions), `${file} at ${at}`).toEqual([])
        if (gone.length > 0) cuts.add(session)
        for (const { message } of actions) if (message.includes('newest head')) cuts.add('head')
        for (const { message } of actions) if (message.includes('in a segment as well')) cuts.add('rows')
      }
    }
    expect([...cuts].toSorted()).toEqual(['head', ...sessions, 'rows'].toSorted())
  },
)

test('whatever record of a log is damaged, those behind it are kept, and the store works again', async () => {
  const base = temporaryDirectory()
  const sessions = ['a', 'b']
  const writer = await openBackend(base)
  for (let count = 0; count < 10; count++) for (const session of sessions) await grow(writer, session, 1)
  await writer.close()
  const [log = ''] = filesNamed(base, /\.log$/)
  const { records } = parseLog(readFileSync(log))
  const path = join(temporaryDirectory(), 'copy')
  for (const [index, { offset }] of records.entries()) {
    copyStore(base, path)
    flip(join(path, basename(log)), offset + 7 + 30)
    const backend = leveldbBackend({ path })
    const { actions } = await repair(backend)
    expect(actions[0]).toMatchObject({ file: join(path, basename(log)) })
    const seqs = await judge(backend, sessions)
    // The first record is the identity, the others are events 1 to 10 of each in turn.
    const lost = index === 0 ? '' : (sessions[(index + 1) % 2] ?? '')
    const lostSeq = Math.floor((index + 1) / 2)
    for (const session of sessions) {
      const left = seqs.get(session) ?? []
      const isHit = session === lost
      const expected = isHit && lostSeq > 1 ? lostSeq - 1 : isHit ? 9 : 10
      expect(left, `record ${index}, session ${session}`).toHaveLength(expected)
      if (isHit && lostSeq < 10) expect(actions).toContainEqual(expect.objectContaining({ session }))
    }
  }
})
