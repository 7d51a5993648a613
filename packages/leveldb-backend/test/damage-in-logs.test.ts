import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'

import { parseLog } from '@turnlog/leveldb-files'
import { expect, test } from 'vitest'

import { Watermark } from '../src/open/watermark.ts'
import { filesNamed, grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

test('a torn append with such bytes is set aside, and the store goes on', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 's', 3)
  // A fragment of LevelDB's log with a right checksum, in characters.
  await grow(backend, 's', 1, {
    extra: { text: `${'a'.repeat(200)}Dy\ba\u0007\u0000\u0001hello 0${'b'.repeat(3000)}` },
  })
  await backend.close()
  const [log = ''] = filesNamed(path, /\.log$/)
  truncateSync(log, readFileSync(log).lastIndexOf('bbb') - 500)
  const state = Watermark.read(path)
  const watermark = Watermark.open(path)
  watermark.reset({ ...state, batches: state.batches - 1 })
  watermark.close()
  expect((await backend.open()).findings).toMatchObject([{ kind: 'torn-tail', file: log }])
  expect(await readAll(backend, 's')).toHaveLength(3)
})

test.each(['sync', 'os'] as const)(
  'a record whose beginning is gone, with acknowledged ones behind it, is CORRUPT in %s mode',
  async (durability) => {
    const path = temporaryDirectory()
    const backend = await openBackend(path, { durability })
    for (let count = 0; count < 6; count++) await grow(backend, 's', 1)
    await backend.close()
    const [log = ''] = filesNamed(path, /\.log$/)
    const { records } = parseLog(readFileSync(log))
    const descriptor = openSync(log, 'r+')
    writeSync(descriptor, Buffer.alloc(40), 0, 40, records[3]?.offset)
    closeSync(descriptor)
    await expect(backend.open()).rejects.toMatchObject({ code: 'CORRUPT' })
  },
)
