import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { expect, test } from 'vitest'
import { appendMessages, scratchDirectory } from './sample.ts'

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
