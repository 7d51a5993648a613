import { describe, expect, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, listAll, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const FILE = '/store/chat.jsonl'
const ASIDE = `${FILE}.damaged-1`

function make(fileSystem: SimulatedFileSystem): Backend {
  return jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
}

/** A store in which a repair could keep nothing of session `chat`: the copy beside it is the only one. */
async function makeWreck(): Promise<SimulatedFileSystem> {
  const fileSystem = new SimulatedFileSystem()
  const backend = make(fileSystem)
  await backend.open()
  await appendMessages(backend, 'chat', 0, 1)
  await appendMessages(backend, 'other', 0, 1)
  await backend.close()
  fileSystem.replaceContent(FILE, Buffer.concat([Buffer.alloc(200), fileSystem.content(FILE).subarray(200)]))
  await backend.maintenance?.repair({ apply: true })
  expect(fileSystem.paths()).toContain(ASIDE)
  expect(fileSystem.paths()).not.toContain(FILE)
  return fileSystem
}

function tracesOf(fileSystem: SimulatedFileSystem): string[] {
  return fileSystem.paths().filter((path) => path.includes('chat') || fileSystem.content(path).includes('chat'))
}

describe('what was set aside from a session', () => {
  test('stays if the session is begun anew and that fails', async () => {
    const fileSystem = await makeWreck()
    const backend = make(fileSystem)
    await backend.open()
    let isDue = true
    fileSystem.fault = (_operation, kind) => {
      if (kind !== 'syncDirectory' || !isDue) return undefined
      isDue = false
      return 'EIO'
    }
    await expect(appendMessages(backend, 'chat', 0, 1)).rejects.toMatchObject({ code: 'IO' })
    expect(fileSystem.paths()).toContain(ASIDE)
    expect(await backend.head('chat')).toBe(undefined)
    await appendMessages(backend, 'chat', 0, 1)
    expect(await readAll(backend, 'chat')).toEqual([message(1)])
    expect(fileSystem.paths()).toContain(ASIDE)
    await backend.close()
  })

  test('goes when the session is erased, also if nothing else is left of it', async () => {
    const fileSystem = await makeWreck()
    const backend = make(fileSystem)
    await backend.open()
    await backend.erase('chat', 0)
    expect(tracesOf(fileSystem)).toEqual([])
    const crashed = SimulatedFileSystem.afterCrash(fileSystem.crashPoint('after the erase'), () => false)
    expect(tracesOf(crashed)).toEqual([])
    await backend.close()
    expect(tracesOf(fileSystem)).toEqual([])
    await backend.open()
    expect((await listAll(backend)).map(({ session }) => session)).toEqual(['other'])
    await backend.close()
  })

  test('goes first, so that a session of which something is left can be erased again', async () => {
    let failures = 0
    for (let failing = 1; ; failing++) {
      const fileSystem = await makeWreck()
      const backend = make(fileSystem)
      await backend.open()
      await appendMessages(backend, 'chat', 0, 2)
      const first = fileSystem.operations + failing
      let isReached = false
      fileSystem.fault = (operation) => {
        isReached ||= operation === first
        return operation === first ? 'EIO' : undefined
      }
      await backend.erase('chat', 2).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'IO', session: 'chat' })
        failures++
      })
      fileSystem.fault = () => undefined
      if (!isReached) break
      const head = await backend.head('chat')
      if (head !== undefined) await backend.erase('chat', head.last)
      expect(tracesOf(fileSystem)).toEqual([])
      await backend.close()
    }
    expect(failures).toBeGreaterThan(3)
  })
})
