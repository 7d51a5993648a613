import { mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { describe, expect, test } from 'vitest'
import { appendMessages, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const WAYS = ['CURRENT', 'turnlog.anchor'].flatMap((file) => [false, true].map((readOnly) => ({ file, readOnly })))

test.each(WAYS)('a directory with $file is one of LevelDB and left as it is (readOnly: $readOnly)', async (way) => {
  const { file, readOnly } = way
  const path = await scratchDirectory()
  await writeFile(join(path, file), '')
  const backend = jsonlBackend({ path })
  await expect(backend.open({ readOnly })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    file: join(path, file),
    message: expect.stringMatching(new RegExp(`a file ${file} in it\\. Open it as leveldb:.*another directory`)),
  })
  expect(await readdir(path)).toEqual([file])
})

test('sessions with the names of files of LevelDB are none', async () => {
  const path = await scratchDirectory()
  const backend = jsonlBackend({ path, durability: 'os' })
  await backend.open()
  for (const session of ['CURRENT', 'turnlog.anchor']) await appendMessages(backend, session, 0, 1)
  await backend.close()
  await backend.open()
  expect((await backend.head('CURRENT'))?.last).toBe(1)
  await backend.close()
})

describe('a directory', () => {
  test('and its files are for their owner only', async () => {
    const directory = join(await scratchDirectory(), 'new', 'store')
    const backend = jsonlBackend({ path: directory })
    expect(await backend.open()).toEqual({ created: true, findings: [] })
    await appendMessages(backend, 'chat', 0, 1)
    await backend.close()
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(directory)) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600)
  })

  test('may hold a link under the name of a session, which is not followed', async () => {
    const directory = await scratchDirectory()
    const victim = join(await scratchDirectory(), 'victim')
    await writeFile(victim, 'precious')
    await symlink(victim, join(directory, 'chat.jsonl'))
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await expect(appendMessages(backend, 'chat', 0, 1)).rejects.toMatchObject({ code: 'IO' })
    await backend.close()
    expect(await readFile(victim, 'utf8')).toBe('precious')
  })

  test('that does not exist is not made by a read-only open', async () => {
    const directory = join(await scratchDirectory(), 'missing')
    await expect(jsonlBackend({ path: directory }).open({ readOnly: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await mkdir(directory)
    const backend = jsonlBackend({ path: directory })
    await backend.open({ readOnly: true })
    await backend.close()
    expect(await readdir(directory)).toEqual([])
  })

  test('on read-only media can be read', async () => {
    const fileSystem = new SimulatedFileSystem()
    const writer = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
    await writer.open()
    await appendMessages(writer, 'chat', 0, 3)
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }))
    const open = fileSystem.open.bind(fileSystem)
    Object.assign(fileSystem, {
      rename: refuse,
      link: refuse,
      remove: refuse,
      syncDirectory: refuse,
      makeDirectory: refuse,
    })
    fileSystem.open = (path, options) => (options.access === 'read' ? open(path, options) : refuse())
    const reader = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(2) })
    await reader.open({ readOnly: true })
    expect(await readAll(reader, 'chat')).toHaveLength(3)
    expect(await reader.head('chat')).toMatchObject({ last: 3 })
    await reader.close()
    await expect(reader.open()).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringContaining('open the store read-only'),
    })
  })
})
