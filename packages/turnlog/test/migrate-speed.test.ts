import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openStore } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/core/migrate'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { LegacyDirectory } from '../../core/test/migrate/legacy-directory.ts'

/** 10,000 is what is promised. */
const SESSIONS = Number(process.env['MIGRATION_SESSIONS'] ?? 500)

/** As many as migration writes together, so that both share durable writes alike. */
const TOGETHER = 128

const BACKENDS = {
  leveldb: (path: string) => leveldbBackend({ path }),
  jsonl: (path: string) => jsonlBackend({ path }),
}

function messagesOf(session: number): { role: string; content: string }[] {
  return Array.from({ length: 20 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${i} of session ${session}. `.repeat(8),
  }))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

test.each(['leveldb', 'jsonl'] as const)(
  'legacy sessions migrate to %s at no less than half the speed of writing the same directly',
  async (name) => {
    const root = await mkdtemp(join(tmpdir(), 'turnlog-speed-'))
    await using legacy = await LegacyDirectory.make()
    let best = 0
    try {
      // Alternating, since other work on the machine comes and goes.
      for (let round = 0; round < 3 && best < 0.75; round++) {
        for (let i = 0; i < SESSIONS; i++) {
          await legacy.snapshot(`${round}-${i}.json`, { key: `session:${i}`, messages: messagesOf(i) })
        }
        const direct = await openStore(BACKENDS[name](join(root, `direct-${round}`)))
        const directMs = await timed(async () => {
          for (let start = 0; start < SESSIONS; start += TOGETHER) {
            const keys = Array.from({ length: Math.min(TOGETHER, SESSIONS - start) }, (_, i) => start + i)
            await Promise.all(
              keys.flatMap((i) => [
                direct.note(`session:${i}`, 'imported', { format: 'json' }),
                direct.addMessages(`session:${i}`, messagesOf(i)),
              ]),
            )
          }
        })
        await direct.close()
        const store = await openStore(BACKENDS[name](join(root, `migrated-${round}`)))
        const migrateMs = await timed(() => migrateDirectory(store, legacy.path))
        expect((await store.stats()).messages).toBe(SESSIONS * 20)
        await store.close()
        best = Math.max(best, directMs / migrateMs)
        console.log(
          `${name}, ${SESSIONS} sessions: direct ${directMs.toFixed(0)} ms, migrated ${migrateMs.toFixed(0)} ms, ratio ${(directMs / migrateMs).toFixed(2)}`,
        )
      }
      expect(best).toBeGreaterThanOrEqual(0.5)
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  },
  600_000,
)
