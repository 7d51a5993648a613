import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Harness, Target } from '@turnlog/conformance'
import { sqliteBackend } from '@turnlog/sqlite-backend'
import { openStore } from 'turnlog'
import type { Backend, Message, SessionStore } from 'turnlog'

import { sqliteDriver } from '../peers.ts'
import { loadBuild, thisBuild } from './build.ts'
import type { Build } from './build.ts'
import type { Contestant, Durability, Keeper } from './contestant.ts'

type Persistent = Exclude<Durability, 'none'>

export function turnlogLeveldb(durability: Persistent, build: Build = thisBuild): Contestant {
  return turnlog(build, 'leveldb', durability, (path) => build.leveldbBackend({ path, durability }))
}

export function turnlogJsonl(durability: Persistent, build: Build = thisBuild): Contestant {
  return turnlog(build, 'jsonl', durability, (path) => build.jsonlBackend({ path, durability }))
}

export function turnlogSqlite(durability: Persistent): Contestant {
  return turnlog(thisBuild, 'sqlite', durability, (path) =>
    sqliteBackend({ path: join(path, 'sessions.db'), durability, ...sqliteDriver() }),
  )
}

/** What reading the files of the JSONL backend without it costs. */
export function plainJsonlReader(durability: Persistent): Contestant {
  const jsonl = turnlogJsonl(durability)
  return {
    ...jsonl,
    id: 'jsonl-split-parse',
    label: "split + parse of turnlog's own file",
    note: 'checksums not verified, not frozen',
    open: async (directory) => ({
      ...(await jsonl.open(directory)),
      read: async (session) => {
        const lines = (await readFile(join(directory, `${session}.jsonl`), 'utf8')).split('\n')
        lines.pop()
        const events = lines.map((line) => JSON.parse(line) as { type?: string; message: Message })
        return events.filter(({ type }) => type === 'MessageAdded').map(({ message }) => message)
      },
    }),
  }
}

export function turnlogMemory(build: Build = thisBuild): Contestant {
  return turnlog(build, 'memory', 'none', () => build.memoryBackend())
}

/** Marks what belongs to the build that `--against` names. */
export const BEFORE = '-before'

function markBefore(contestant: Contestant): Contestant {
  return { ...contestant, id: `${contestant.id}${BEFORE}`, label: `${contestant.label}, before` }
}

/** Everything of another build, to take part beside the same of this one. */
export async function turnlogBefore(checkout: string): Promise<readonly Contestant[]> {
  const build = await loadBuild(checkout)
  return [
    ...(['sync', 'os'] as const).flatMap((kind) => [turnlogLeveldb(kind, build), turnlogJsonl(kind, build)]),
    turnlogMemory(build),
  ].map(markBefore)
}

/** A third party's backend, through the target that it gives to the conformance suite. */
export async function turnlogTarget(module: string, seed: number): Promise<Contestant> {
  const { target } = (await import(pathToFileURL(resolve(module)).href)) as { target?: Target }
  if (target === undefined)
    throw new Error(`${module} has no export "target". Export the target of the conformance suite.`)
  const probe = await target.create({ directory: resolve('.'), seed })
  const { durability } = probe.backend.capabilities
  await probe.destroy()
  return {
    id: target.name,
    label: `turnlog ${target.name}`,
    durability,
    open: async (directory) => {
      const harness = await target.create({ directory, seed })
      return keeperOf(await openStore(harness.backend), harness)
    },
  }
}

function turnlog(
  { openStore: open }: Build,
  name: string,
  durability: Durability,
  make: (directory: string) => Backend,
): Contestant {
  return {
    id: name,
    label: `turnlog ${name}`,
    durability,
    open: async (directory) => keeperOf(await open({ backend: make(directory), onWarning: () => undefined })),
  }
}

export interface TurnlogKeeper extends Keeper {
  readonly store: SessionStore
}

export function keeperOf(store: SessionStore, harness?: Harness): TurnlogKeeper {
  return {
    store,
    append: async (session, message) => void (await store.addMessage(session, message)),
    appendAll: async (session, messages) => void (await store.addMessages(session, messages)),
    read: (session): Promise<readonly Message[]> => store.getHistory(session),
    replace: async (session, messages) => void (await store.setHistory(session, messages)),
    summarise: async (session, summary, keepLast) => {
      const { version, positions } = await store.load(session)
      const through = positions.at(-1 - keepLast)
      if (through !== undefined) await store.summarize(session, { summary, through, version })
    },
    describe: async (session, metadata) => void (await store.setMetadata(session, metadata)),
    list: async () => {
      let count = 0
      for await (const { messages, metadata } of store.listSessions()) if (messages >= 0 && metadata !== null) count++
      return count
    },
    close: async () => {
      await store.close()
      await harness?.destroy()
    },
  }
}
