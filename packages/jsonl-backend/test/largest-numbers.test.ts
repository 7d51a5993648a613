import { expect, onTestFinished, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const LIFE = 'life'

async function openEmpty(): Promise<Backend> {
  const backend = jsonlBackendWith(
    { path: '/store' },
    { fileSystem: new SimulatedFileSystem(), host: simulatedHost(1) },
  )
  await backend.open()
  onTestFinished(() => backend.close())
  return backend
}

test('events up to the largest safe integer are kept, and found to be whole', async () => {
  const backend = await openEmpty()
  const events = [LARGEST - 2, LARGEST - 1, LARGEST].map((seq) => message(seq))
  await backend.append('chat', { last: 0, incarnation: LIFE }, events, null, { import: true })
  await backend.close()
  await backend.open()
  expect(await readAll(backend, 'chat')).toEqual(events)
  expect(await backend.maintenance?.verify()).toMatchObject({ events: 3, problems: [] })
})

test('an event behind the largest safe integer is refused, and nothing is written', async () => {
  const backend = await openEmpty()
  const none = { last: 0, incarnation: LIFE }
  const refusal = { code: 'INVALID_ARGUMENT', session: 'chat' }
  const events = [message(LARGEST), message(LARGEST + 1)]
  await expect(backend.append('chat', none, events, null, { import: true })).rejects.toMatchObject(refusal)
  expect(await backend.head('chat')).toBe(undefined)
  await backend.append('chat', none, [message(LARGEST)], null, { import: true })
  const next = backend.append('chat', { last: LARGEST, incarnation: LIFE }, [message(LARGEST + 1)], null)
  await expect(next).rejects.toMatchObject(refusal)
  expect(await readAll(backend, 'chat')).toEqual([message(LARGEST)])
})
