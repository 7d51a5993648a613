import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import type { FileSystem } from '@turnlog/jsonl-backend/testing'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { checkOptions } from '../src/options/jsonl-options.ts'
import { openDirectory } from '../src/open/open-directory.ts'
import { Sessions } from '../src/sessions/sessions.ts'
import { appendMessages, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

/** With one more session, those that are idle are let go of. */
const KEPT = 4096

/** A disk that takes a while for each write, as real ones do. */
function slowDisk(): FileSystem {
  const fileSystem = new SimulatedFileSystem()
  const open = fileSystem.open.bind(fileSystem)
  fileSystem.open = async (path, options) => {
    const file = await open(path, options)
    const write = async (buffer: Buffer, position: number): Promise<number> => {
      await setImmediate()
      return file.write(buffer, position)
    }
    return { ...file, write }
  }
  return fileSystem
}

/** A session with one event, and so many others in memory that the next one is too many. */
async function openCrowded(): Promise<Backend> {
  const backend = jsonlBackendWith({ path: '/store' }, { fileSystem: slowDisk(), host: simulatedHost(1) })
  await backend.open()
  onTestFinished(() => backend.close())
  await appendMessages(backend, 'old', 0, 1)
  for (let index = 1; index < KEPT; index++) await backend.head(`session ${index}`)
  return backend
}

describe('while thousands of events are made into text, and other sessions need the memory', () => {
  test('whoever looks at the session sees them when they are acknowledged', async () => {
    const backend = await openCrowded()
    const append = appendMessages(backend, 'old', 1, 2000)
    await backend.head('one more')
    expect(await backend.head('old')).toMatchObject({ last: 1 })
    await append
    expect(await backend.head('old')).toMatchObject({ last: 2001 })
    expect(await readAll(backend, 'old')).toHaveLength(2001)
    await appendMessages(backend, 'old', 2001, 1)
  })

  test('of two appends to the same version one is acknowledged', async () => {
    const backend = await openCrowded()
    const first = appendMessages(backend, 'old', 1, 2000)
    await backend.head('one more')
    const outcomes = await Promise.allSettled([first, appendMessages(backend, 'old', 1, 1999)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const { length } = await readAll(backend, 'old')
    expect((await backend.head('old'))?.last).toBe(length)
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
  })
})

describe('when sessions are let go of', () => {
  async function openSessions(): Promise<Sessions> {
    const environment = { fileSystem: new SimulatedFileSystem(), host: simulatedHost(1) }
    const directory = await openDirectory(environment, checkOptions({ path: '/store' }), false)
    onTestFinished(() => directory.close())
    return new Sessions(directory)
  }

  test('one that is about to be read stays', async () => {
    const sessions = await openSessions()
    const writer = sessions.writer('old')
    await writer.append({ last: 0, incarnation: 'life' }, [message(1)], null, undefined)
    await setImmediate() // so that it is idle
    const reading = sessions.snapshot('old')
    for (let index = 1; index <= KEPT; index++) sessions.writer(`session ${index}`)
    expect(sessions.writer('old')).toBe(writer)
    ;(await reading)?.lease.release()
  })

  test('those that were used last stay', async () => {
    const sessions = await openSessions()
    const writers = Array.from({ length: KEPT }, (_, index) => sessions.writer(`session ${index}`))
    expect(sessions.writer('session 0')).toBe(writers[0])
    sessions.writer('one more')
    expect(sessions.writer('session 0')).toBe(writers[0])
    expect(sessions.writer('session 1')).not.toBe(writers[1])
  })
})
