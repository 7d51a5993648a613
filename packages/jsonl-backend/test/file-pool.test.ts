import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { FilePool } from '../src/file-system/file-pool.ts'
import { nodeFileSystem } from '../src/file-system/node-file-system.ts'
import { randomFrom } from './history.ts'
import { appendMessages, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'

async function makeFiles(...names: readonly string[]): Promise<SimulatedFileSystem> {
  const fileSystem = new SimulatedFileSystem()
  for (const name of names) {
    const file = await fileSystem.open(`/store/${name}`, { access: 'create' })
    await file.write(Buffer.from(name), 0)
    await file.close()
  }
  return fileSystem
}

/** Holds back what passes through it until it is opened. */
function makeGate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open }
}

describe('a file that two want at once', () => {
  test('is open for both of them, even if it is evicted while the one opened in vain is closed', async () => {
    const fileSystem = await makeFiles('a', 'b')
    const secondOpen = makeGate()
    const closing = makeGate()
    const close = makeGate()
    const open = fileSystem.open.bind(fileSystem)
    let opens = 0
    fileSystem.open = async (path, options) => {
      const file = await open(path, options)
      opens++
      if (opens !== 2) return file
      await secondOpen.passed
      const closeLate = async (): Promise<void> => {
        closing.open()
        await close.passed
        await file.close()
      }
      return { ...file, close: closeLate }
    }
    const pool = new FilePool(fileSystem, '/store', { access: 'read' }, 1)
    const first = pool.acquire('a')
    const second = pool.acquire('a')
    const kept = await first
    kept.release()
    secondOpen.open()
    await closing.passed
    const other = await pool.acquire('b')
    close.open()
    const { file } = await second
    const buffer = Buffer.alloc(1)
    expect(await file.read(buffer, 0)).toBe(1)
    expect(buffer.toString()).toBe('a')
    other.release()
    await pool.close()
  })

  test('keeps what was acknowledged, with more sessions in use than files may be open', async () => {
    const path = await scratchDirectory()
    const backend = jsonlBackend({ path, durability: 'os', maxOpenFiles: 2 })
    await backend.open()
    const random = randomFrom(7)
    const sessions = Array.from({ length: 12 }, (_, index) => `session-${index}`)
    const acknowledged = new Map<string, number>()
    for (const session of sessions) acknowledged.set(session, await appendMessages(backend, session, 0, 1))
    const append = async (session: string): Promise<void> => {
      acknowledged.set(session, await appendMessages(backend, session, acknowledged.get(session) ?? 0, 1))
    }
    for (let round = 0; round < 60; round++) {
      const chosen = sessions.filter(() => random(2) === 0)
      const readTwice = chosen.flatMap((session) => [readAll(backend, session), readAll(backend, session)])
      await Promise.all([...readTwice, ...chosen.map(append)])
    }
    await backend.close()
    await backend.open()
    for (const session of sessions) {
      const seqs = (await readAll(backend, session)).map(({ seq }) => seq)
      expect(seqs).toEqual(Array.from({ length: acknowledged.get(session) ?? 0 }, (_, index) => index + 1))
    }
    await backend.close()
  })
})

test('a file that was closed refuses everything, whatever file has its number now', async () => {
  const directory = await scratchDirectory()
  const closed = await nodeFileSystem.open(join(directory, 'closed'), { access: 'create' })
  await closed.close()
  const other = await nodeFileSystem.open(join(directory, 'other'), { access: 'create' })
  await expect(closed.write(Buffer.from('lost'), 0)).rejects.toThrow()
  await expect(closed.read(Buffer.alloc(1), 0)).rejects.toThrow()
  await expect(closed.close()).rejects.toThrow()
  expect(() => closed.stat()).toThrow()
  expect(other.stat().size).toBe(0)
  await other.close()
})
