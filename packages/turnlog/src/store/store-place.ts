import { existsSync, readdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StoreError } from '@turnlog/core'
import type { StoreConfig } from '@turnlog/core'

/** Where a store on disk lies and what really lies there. */
export interface StorePlace {
  readonly directory: string
  readonly asked: 'leveldb' | 'jsonl'
  /** `missing`: no such directory; `file`: no directory; `other`: files, but no store that is known here. */
  readonly found: 'leveldb' | 'jsonl' | 'empty' | 'missing' | 'file' | 'other'
}

type NoStore = Exclude<StorePlace['found'], StorePlace['asked']>

const WHAT: Readonly<Record<NoStore, string>> = {
  missing: 'there is no such directory',
  empty: 'the directory is empty',
  file: 'it is a file',
  other: 'it holds other files',
}

const MAKE_ONE: Readonly<Record<NoStore, string>> = {
  missing: 'Give --create to make one.',
  empty: 'Give --create to make one.',
  file: 'A store is a directory: give another path.',
  other: 'A store is made in a directory of its own: give one that is empty or not there yet.',
}

/** What every new volume of ext4 has in it. */
const OF_THE_VOLUME = 'lost+found'

/** `undefined` for stores that do not lie in a directory that this command knows about. */
export function storePlace(config: StoreConfig): StorePlace | undefined {
  const { backend = 'leveldb', path, configFile } = config
  if ((backend !== 'leveldb' && backend !== 'jsonl') || path === undefined) return undefined
  const directory = resolve(baseOf(configFile), path)
  return { directory, asked: backend, found: lookAt(directory) }
}

/** Whether a store can be made there. */
export function isVacant(place: StorePlace | undefined): boolean {
  return place?.found === 'missing' || place?.found === 'empty'
}

/**
 * A mistyped path must not look like an empty store, and must never make a new one.
 *
 * @throws `NOT_FOUND`, `INVALID_CONFIG`
 */
export function checkPlace(
  place: StorePlace,
  source: string,
  { hasCreate = false }: { readonly hasCreate?: boolean } = {},
): void {
  const { directory, asked, found } = place
  if (found === asked) return
  if (found === 'leveldb' || found === 'jsonl') {
    throw new StoreError(
      'INVALID_CONFIG',
      `${directory} holds a store of the kind ${found}, not ${asked}. Use ${found}:${directory} (chosen by ${source}).`,
      { file: directory },
    )
  }
  const advice = hasCreate ? ` ${MAKE_ONE[found]}` : ''
  throw new StoreError(
    'NOT_FOUND',
    `There is no store in ${directory}: ${WHAT[found]} (chosen by ${source}).${advice}`,
    {
      file: directory,
    },
  )
}

function baseOf(configFile: string | undefined): string {
  if (configFile === undefined) return process.cwd()
  return dirname(configFile.startsWith('file:') ? fileURLToPath(configFile) : resolve(configFile))
}

function lookAt(directory: string): StorePlace['found'] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'missing'
    if (code === 'ENOTDIR') return existsSync(directory) ? 'file' : 'missing'
    throw new StoreError('IO', `Cannot look into ${directory}: ${(error as Error).message}`, {
      file: directory,
      cause: error,
    })
  }
  if (names.includes('CURRENT') || names.includes('turnlog.anchor')) return 'leveldb'
  if (names.some((name) => name.endsWith('.jsonl') || /^turnlog\.lock\.\d+$/.test(name))) return 'jsonl'
  return names.every((name) => name === OF_THE_VOLUME) ? 'empty' : 'other'
}
