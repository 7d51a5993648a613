import fs, { type Dirent } from 'node:fs'
import { StoreError } from '@turnlog/core/backend'
import type { MigratedFile } from './migration-report.ts'

const META = '.meta.json'
const LINES = '.jsonl'
const SNAPSHOT = '.json'

/** What is added to the name of a file that has been imported. */
export const DONE = '.migrated'

/** The files of one legacy session, by their names in the directory. */
export type LegacySource =
  | { readonly kind: 'snapshot'; readonly file: string; readonly snapshot: string }
  | {
      readonly kind: 'log'
      readonly file: string
      readonly meta: string
      readonly lines?: string
      /** An earlier run got as far as renaming the lines, but not their `.meta.json`. */
      readonly linesAreDone: boolean
    }

export interface Scan {
  readonly sources: readonly LegacySource[]
  /** Entries that look like sessions by their names and are none. */
  readonly others: readonly MigratedFile[]
}

/**
 * The legacy sessions of a directory, none if it does not exist. Only plain files count: a link may lead anywhere.
 *
 * Logs come before snapshots, so that where the old store was itself interrupted between the two formats, the newer one
 * is taken.
 *
 * @throws `IO`
 */
export async function scanDirectory(directory: string): Promise<Scan> {
  const entries = await listDirectory(directory)
  const files = new Set<string>()
  const others: MigratedFile[] = []
  for (const entry of entries) {
    const { name } = entry
    if (entry.isFile()) files.add(name)
    else if (name.endsWith(SNAPSHOT) || name.endsWith(LINES)) others.push({ ...skipped(name, describe(entry)) })
  }
  const odd = new Set(others.map(({ file }) => file))
  const logs: LegacySource[] = []
  const snapshots: LegacySource[] = []
  for (const name of [...files].sort()) {
    if (name.endsWith(META)) {
      const log = findLog(name, files)
      if (odd.has(log.file)) others.push({ file: name, status: 'invalid', reason: `${log.file} is not a plain file.` })
      else logs.push(log)
    } else if (name.endsWith(SNAPSHOT)) {
      snapshots.push({ kind: 'snapshot', file: name, snapshot: name })
    } else if (name.endsWith(LINES)) {
      const meta = name.slice(0, -LINES.length) + META
      if (!files.has(meta)) others.push({ file: name, status: 'invalid', reason: withoutMeta(meta) })
    }
  }
  return { sources: [...logs, ...snapshots], others }
}

function findLog(meta: string, files: ReadonlySet<string>): LegacySource {
  const lines = meta.slice(0, -META.length) + LINES
  if (files.has(lines)) return { kind: 'log', file: lines, meta, lines, linesAreDone: false }
  const done = lines + DONE
  if (files.has(done)) return { kind: 'log', file: lines, meta, lines: done, linesAreDone: true }
  return { kind: 'log', file: lines, meta, linesAreDone: false } // a session with a summary and no message
}

function withoutMeta(meta: string): string {
  return `The key of this session is in ${meta}, which does not exist. Write one that says {"key": "..."} and run again.`
}

function skipped(file: string, what: string): MigratedFile {
  return { file, status: 'skipped', reason: `It is ${what}, not a plain file.` }
}

function describe(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a symbolic link, which is not followed'
  return entry.isDirectory() ? 'a directory' : 'a device, pipe or socket'
}

async function listDirectory(directory: string): Promise<Dirent[]> {
  try {
    return await fs.promises.readdir(directory, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new StoreError(
      'IO',
      `Cannot read the legacy directory ${JSON.stringify(directory)} (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}). Give a directory that this process may read.`,
      { file: directory, cause: error },
    )
  }
}
