import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openStore } from '@turnlog/core'
import type { Message, SessionStore, StoreSettings } from '@turnlog/core'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'

export type BackendName = 'leveldb' | 'jsonl'

/** Small for LevelDB, so that a bound with twice of it still says something. */
export const WRITE_BUFFER_BYTES: Readonly<Record<BackendName, number>> = { leveldb: 64 * 1024, jsonl: 0 }

/** A store in files. LevelDB without compression, so that what is searched for can be found, and sizes are true. */
export function openIn(
  name: BackendName,
  path: string,
  settings: StoreSettings<Message> & { readonly writeBufferBytes?: number } = {},
): Promise<SessionStore> {
  const { writeBufferBytes = WRITE_BUFFER_BYTES.leveldb, ...others } = settings
  const backend =
    name === 'leveldb'
      ? leveldbBackend({
          path,
          durability: 'os',
          compression: false,
          writeBufferBytes,
          maxFileBytes: 1024 * 1024,
        })
      : jsonlBackend({ path, durability: 'os' })
  return openStore({ backend, sweep: 'manual', onWarning: () => undefined, ...others })
}

/** Runs something in a directory of its own. */
export async function inDirectory<T>(work: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'turnlog-lifecycle-'))
  try {
    return await work(join(path, 'store'))
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** What the files of a directory take. */
export function bytesIn(path: string): Promise<number> {
  return atRest(async () => {
    const sizes = await Promise.all((await filesIn(path)).map(async (file) => (await stat(file)).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  })
}

/** The files whose name or contents have the marker in them. */
export function filesWith(path: string, marker: string): Promise<string[]> {
  return atRest(async () => {
    const found: string[] = []
    for (const file of await filesIn(path)) {
      if (file.includes(marker) || (await readFile(file)).includes(marker)) found.push(file)
    }
    return found
  })
}

/** Looks again if a file went while the directory was looked at: an open store replaces its files when it likes. */
async function atRest<T>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}
