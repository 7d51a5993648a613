import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/importers'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { LegacyDirectory } from '../../importers/test/legacy/legacy-directory.ts'
import { runSeed, seeded } from '../../core/test/seeded.ts'

/** On each backend; 100 on each is what is promised. */
const KILLS = Number(process.env['MIGRATION_KILLS'] ?? 2)

const child = fileURLToPath(new URL('migrate-child.mjs', import.meta.url))

/** More steps than there are: such a child is killed by its parent, or not at all. */
const NEVER = 1_000_000

type BackendName = 'leveldb' | 'jsonl'

interface Run {
  readonly steps: number
  readonly durationMs: number
  readonly wasKilled: boolean
}

/** Runs the migration in a process of its own, to be killed after a number of its steps or after a time. */
function runChild(name: BackendName, root: string, kill: { steps?: number; afterMs?: number }): Promise<Run> {
  return new Promise((resolve, reject) => {
    const args = [child, name, join(root, 'store'), join(root, 'legacy'), String(kill.steps ?? NEVER)]
    const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    let startedAt = 0
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (startedAt > 0 || !output.includes('started')) return
      startedAt = performance.now()
      if (kill.afterMs !== undefined) setTimeout(() => running.kill('SIGKILL'), kill.afterMs)
    })
    running.on('error', reject)
    running.on('close', (code, signal) => {
      const steps = Number(/finished (\d+)/.exec(output)?.[1] ?? 0)
      const wasKilled = signal === 'SIGKILL'
      if (wasKilled || code === 0) resolve({ steps, durationMs: performance.now() - startedAt, wasKilled })
      else reject(new Error(`The child ended with ${code ?? signal}: ${output}`))
    })
  })
}

function openIn(name: BackendName, root: string): Promise<SessionStore> {
  const path = join(root, 'store')
  const backend = name === 'leveldb' ? leveldbBackend({ path }) : jsonlBackend({ path })
  return openStore({ backend, onWarning: () => undefined })
}

/** Everything about a store and the legacy directory that does not come from chance. */
async function contentsOf(store: SessionStore, root: string): Promise<string> {
  const sessions: unknown[] = []
  for await (const { bytes: _bytes, ...info } of store.listSessions()) {
    const events: unknown[] = []
    for await (const { id: _id, ...event } of store.events(info.key)) events.push(event)
    const { incarnation: _random, ...view } = await store.load(info.key)
    sessions.push({ info, events, view })
  }
  return JSON.stringify({ sessions, files: (await readdir(join(root, 'legacy'))).sort() }, undefined, 1)
}

async function makeLegacy(): Promise<LegacyDirectory> {
  const legacy = await LegacyDirectory.make()
  const message = (i: number) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i}`.repeat(20) })
  const messages = (count: number) => Array.from({ length: count }, (_, i) => message(i))
  for (let i = 0; i < 160; i++) {
    if (i % 3 === 0) await legacy.log(`log_${i}`, { key: `log:${i}`, skip: i % 5, summary: 's' }, messages(i % 17))
    else await legacy.snapshot(`snapshot_${i}.json`, { key: `snapshot:${i}`, messages: messages(i % 23) })
  }
  // One key in both formats and in two files, so that the order of imports counts; and lines that are no messages.
  await legacy.log('both', { key: 'both' }, [...messages(3), '{"role":', message(4)])
  await legacy.snapshot('both.json', { key: 'both', messages: messages(2) })
  await legacy.snapshot('twice-1.json', { key: 'twice', messages: messages(2) })
  await legacy.snapshot('twice-2.json', { key: 'twice', messages: messages(5) })
  await legacy.meta('summary-only', { key: 'summary-only', summary: 'nothing else' })
  await legacy.write('bad.json', '{')
  return legacy
}

test.each(['leveldb', 'jsonl'] as const)(
  'a migration to %s that is killed at any moment and run again gives the same as an undisturbed one',
  async (name) => {
    const random = seeded(runSeed(`kills of the migration to ${name}`))
    await using legacy = await makeLegacy()
    const parent = await mkdtemp(join(tmpdir(), 'turnlog-kill-'))
    const begin = async (label: string): Promise<string> => {
      const root = join(parent, label)
      await cp(legacy.path, join(root, 'legacy'), { recursive: true, preserveTimestamps: true })
      return root
    }
    try {
      const undisturbedRoot = await begin('undisturbed')
      const undisturbed = await runChild(name, undisturbedRoot, {})
      expect(undisturbed.wasKilled).toBe(false)
      const reference = await openIn(name, undisturbedRoot)
      const expected = await contentsOf(reference, undisturbedRoot)
      await reference.close()

      let killed = 0
      let unfinished = 0
      for (let round = 0; round < KILLS; round++) {
        const root = await begin(`${round}`)
        // By steps to hit what lies between two of them, by time to hit what lies inside.
        const kill =
          round % 2 === 0
            ? { steps: 1 + random.below(undisturbed.steps) }
            : { afterMs: random.below(Math.ceil(undisturbed.durationMs)) }
        const run = await runChild(name, root, kill)
        if (run.wasKilled) killed++
        const store = await openIn(name, root)
        const report = await migrateDirectory(store, join(root, 'legacy'))
        if (report.counts.imported > 0) unfinished++
        expect(report.counts.failed, JSON.stringify(kill)).toBe(0)
        expect(await contentsOf(store, root), JSON.stringify(kill)).toBe(expected)
        expect((await store.verify()).problems, JSON.stringify(kill)).toEqual([])
        await store.close()
        await rm(root, { recursive: true })
      }
      console.log(`${name}: ${KILLS} runs, ${killed} killed, ${unfinished} of them with sessions left to import`)
      expect(killed).toBeGreaterThanOrEqual(KILLS / 2)
    } finally {
      await rm(parent, { recursive: true, force: true })
    }
  },
  1_800_000,
)
