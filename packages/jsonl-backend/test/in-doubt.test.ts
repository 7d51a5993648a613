import { expect, onTestFinished, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, listAll, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

interface Doubtful {
  readonly backend: Backend
  /** From then on the disk works again. */
  readonly heal: () => void
}

/** Three sessions; an append to the second was written, but not surely, and cannot be taken back. */
async function openInDoubt(): Promise<Doubtful> {
  const fileSystem = new SimulatedFileSystem()
  const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  await backend.open()
  const heal = (): void => {
    fileSystem.fault = () => undefined
  }
  onTestFinished(async () => {
    heal()
    await backend.close()
  })
  for (const session of ['a', 'b', 'c']) await appendMessages(backend, session, 0, 1)
  fileSystem.fault = (_operation, kind) => {
    if (kind === 'write') return 'late EIO'
    return kind === 'truncate' || kind === 'open' ? 'EIO' : undefined
  }
  await expect(appendMessages(backend, 'b', 1, 1)).rejects.toMatchObject({ code: 'IO' })
  return { backend, heal }
}

test.each<[string, (backend: Backend) => Promise<unknown>]>([
  ['the head of its session', (backend) => backend.head('b')],
  ['a read of it', (backend) => readAll(backend, 'b')],
  ['a list', listAll],
  ['a verify of all sessions', async (backend) => backend.maintenance?.verify()],
  ['a verify of it', async (backend) => backend.maintenance?.verify({ session: 'b' })],
])('as long as a write is in doubt, %s is IO, and then what was acknowledged', async (_what, look) => {
  const { backend, heal } = await openInDoubt()
  await expect(look(backend)).rejects.toMatchObject({ code: 'IO', session: 'b' })
  await expect(look(backend)).rejects.toMatchObject({ code: 'IO', session: 'b' })
  heal()
  await look(backend)
  expect(await backend.head('b')).toMatchObject({ last: 1 })
  expect(await readAll(backend, 'b')).toEqual([message(1)])
  expect(await listAll(backend)).toMatchObject([{ last: 1 }, { session: 'b', last: 1 }, { last: 1 }])
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
})

test('a list tells of all other sessions before it says that one is in doubt', async () => {
  const { backend } = await openInDoubt()
  const listed: string[] = []
  const list = async (): Promise<void> => {
    for await (const heads of backend.list()) listed.push(...heads.map(({ session }) => session))
  }
  await expect(list()).rejects.toMatchObject({ code: 'IO', session: 'b' })
  expect(listed).toEqual(['a', 'c'])
  expect(await readAll(backend, 'a')).toHaveLength(1)
  expect((await backend.maintenance?.verify({ session: 'c' }))?.problems).toEqual([])
})
