import { openStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { copyStore } from '@turnlog/transfer'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { describe, expect, test } from 'vitest'

import { appendMessages } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const SESSIONS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const DAMAGED = ['b', 'd', 'e']

/** Some files cannot be told to be of any session by what is in them. */
async function damagedStore(): Promise<Backend> {
  const fileSystem = new SimulatedFileSystem()
  const make = (): Backend => jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  const backend = make()
  await backend.open()
  for (const session of SESSIONS) await appendMessages(backend, session, 0, 1)
  await backend.close()
  await fileSystem.remove('/store/turnlog.heads')
  for (const session of DAMAGED) {
    const file = `/store/${session}.jsonl`
    const content = Buffer.from(fileSystem.content(file))
    content[0] = 0x58
    fileSystem.replaceContent(file, content)
  }
  return make()
}

describe('sessions whose header is damaged', () => {
  test('are each named by a listing in pages, which gives all others', async () => {
    const store = await openStore(await damagedStore())
    const found = new Set<string>()
    const named = new Set<string | undefined>()
    for (let after: string | undefined, isEnd = false; !isEnd;) {
      isEnd = true
      try {
        for await (const { key } of store.listSessions({ limit: 1, ...(after === undefined ? {} : { after }) })) {
          found.add(key)
          after = key
          isEnd = false
        }
      } catch (error) {
        const { session } = error as { session?: string }
        named.add(session)
        after = session
        isEnd = false
      }
    }
    expect([...found].sort()).toEqual(['a', 'c', 'f', 'g'])
    expect([...named]).toEqual(DAMAGED)
    expect((await store.verify()).sessions).toBe(SESSIONS.length)
    await store.close()
  })

  test('are each counted as failed by a copy, which copies all others', async () => {
    const from = await damagedStore()
    await from.open()
    const to = memoryBackend()
    await to.open()
    const report = await copyStore(from, to)
    expect(report.counts.failed).toBe(DAMAGED.length)
    expect(report.problems).toMatchObject(DAMAGED.map((session) => ({ session })))
    await from.close()
  })
})
