import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StoreError } from '@turnlog/core'
import type { StoreConfig } from '@turnlog/core'
import type { LockDescription, StorePlace } from '@turnlog/core/backend'
import { defaultBackend, defaultBackends, isDefaultBackend } from '../backends/default-backends.ts'
import type { DefaultBackend } from '../backends/default-backends.ts'

/** Where the store of a configuration lies, as its backend sees it. */
export interface ChosenPlace extends StorePlace {
  readonly asked: DefaultBackend
  /** The backend of ours whose store lies there instead. */
  readonly otherKind?: string | undefined
  /** Who has it open. */
  lock(): Promise<LockDescription>
}

type NoStore = Exclude<StorePlace['found'], 'store'>

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

/** `undefined` for stores that do not lie in a directory that this command knows about. */
export async function storePlace(config: StoreConfig): Promise<ChosenPlace | undefined> {
  const { backend: asked = 'leveldb' } = config
  const path = storePath(config)
  if (!isDefaultBackend(asked) || path === undefined) return undefined
  const definition = await defaultBackend(asked)
  const place = definition?.storePlace?.({ path })
  if (place === undefined) return undefined
  return {
    ...place,
    asked,
    otherKind: place.found === 'other' ? await otherKind(asked, path) : undefined,
    lock: async () => (await definition?.describeLock?.(place.directory)) ?? { state: 'free' },
  }
}

/** Relative paths in a file are relative to that file. */
export function storePath({ path, configFile }: StoreConfig): string | undefined {
  return path === undefined ? undefined : resolve(baseOf(configFile), path)
}

async function otherKind(asked: DefaultBackend, path: string): Promise<string | undefined> {
  for (const name of Object.keys(defaultBackends).filter(isDefaultBackend)) {
    if (name === asked) continue
    const definition = await defaultBackend(name)
    if (definition?.storePlace?.({ path })?.found === 'store') return name
  }
  return undefined
}

/** Whether a store can be made there. */
export function isVacant(place: ChosenPlace | undefined): boolean {
  return place?.found === 'missing' || place?.found === 'empty'
}

/**
 * A mistyped path must not look like an empty store, and must never make a new one.
 *
 * @throws `NOT_FOUND`, `INVALID_CONFIG`
 */
export function checkPlace(
  place: ChosenPlace,
  source: string,
  { hasCreate = false }: { readonly hasCreate?: boolean } = {},
): void {
  const { directory, asked, found, otherKind } = place
  if (found === 'store') return
  if (otherKind !== undefined) {
    throw new StoreError(
      'INVALID_CONFIG',
      `${directory} holds a store of the kind ${otherKind}, not ${asked}. Use ${otherKind}:${directory} (chosen by ${source}).`,
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
