import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { jsonlBackend, leveldbBackend, migrateDirectory, openStore } from 'turnlog'
import type { Backend, SessionStore } from 'turnlog'

import { alternate } from '../timing/alternate.ts'
import type { Subject } from '../timing/alternate.ts'
import { timeSequence } from '../timing/slice.ts'
import type { Scale, Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

const ABOUT = {
  id: 'migrate',
  title: 'Migration of JSON snapshots',
  about:
    'Sessions of 20 messages are migrated from JSON files, beside a program that writes the same messages directly.',
  durability: 'sync',
  unit: 'migrations/s',
  base: 'leveldb-direct',
} as const

const SESSIONS: Readonly<Record<Scale, number>> = { full: 500, quick: 200, tiny: 3 }
const ROUNDS: Readonly<Record<Scale, number>> = { full: 9, quick: 5, tiny: 1 }
const MESSAGES = 20

/** As many as migration writes together, so that both share durable writes alike. */
const TOGETHER = 128

const BACKENDS = {
  leveldb: (path: string) => leveldbBackend({ path }),
  jsonl: (path: string) => jsonlBackend({ path }),
}

export const migrateScenario: Scenario = {
  ...ABOUT,
  run: async (context): Promise<ScenarioResult> => {
    const names = (['leveldb', 'jsonl'] as const).filter((name) => context.only?.includes(name) ?? true)
    const subjects = names.flatMap((name) => [
      subject(`${name}-direct`, BACKENDS[name], context, (store) => writeDirectly(store, context.scale)),
      subject(`${name}-migrated`, BACKENDS[name], context, migrateDirectory),
    ])
    const slices = await alternate(subjects, { least: ROUNDS[context.scale], warmUp: 1 })
    const labelled = subjects.map(({ id }) => ({ id, label: `turnlog ${id.replace('-', ', ')}` }))
    return { ...ABOUT, measurements: summariseSlices(labelled, slices, ABOUT.base), absent: [] }
  },
}

function subject(
  id: string,
  backend: (path: string) => Backend,
  { directory, scale }: ScenarioContext,
  work: (store: SessionStore, legacy: string) => Promise<unknown>,
): Subject {
  const legacy = join(directory, `${id}-legacy`)
  return {
    id,
    // A migrated file is renamed, so each round finds its own; both kinds make them, as the page cache is shared.
    prepare: () => writeSnapshots(legacy, scale),
    slice: async (round) => {
      const store: SessionStore = await openStore(backend(join(directory, `${id}-${round}`)))
      const slice = await timeSequence(1, () => work(store, legacy))
      const { messages } = await store.stats()
      await store.close()
      if (messages !== SESSIONS[scale] * MESSAGES) throw new Error(`${id} holds ${messages} messages`)
      return slice
    },
  }
}

async function writeDirectly(store: SessionStore, scale: Scale): Promise<void> {
  for (let start = 0; start < SESSIONS[scale]; start += TOGETHER) {
    const sessions = Array.from({ length: Math.min(TOGETHER, SESSIONS[scale] - start) }, (_, index) => start + index)
    await Promise.all(
      sessions.flatMap((session) => [
        store.note(keyOf(session), 'imported', { format: 'json' }),
        store.addMessages(keyOf(session), messagesOf(session)),
      ]),
    )
  }
}

function writeSnapshots(legacy: string, scale: Scale): void {
  mkdirSync(legacy, { recursive: true })
  for (let session = 0; session < SESSIONS[scale]; session++) {
    const snapshot = { key: keyOf(session), messages: messagesOf(session), created: WRITTEN, updated: WRITTEN }
    writeFileSync(join(legacy, `${session}.json`), JSON.stringify(snapshot))
  }
}

const WRITTEN = '2026-01-02T03:04:05Z'

function keyOf(session: number): string {
  return `session:${session}`
}

function messagesOf(session: number): { role: string; content: string }[] {
  return Array.from({ length: MESSAGES }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index} of session ${session}. `.repeat(8),
  }))
}
