import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { listFiles } from './list-files.ts'
import type { LevelFiles } from './list-files.ts'
import { parseManifest } from './parse-manifest.ts'
import type { Manifest } from './parse-manifest.ts'
import { parseLog, recordsAnywhere } from './read-log.ts'

/** What is wrong, and with which file. */
export interface FileProblem {
  readonly file: string
  readonly problem: string
}

/** The version that LevelDB would open: what the MANIFEST that `CURRENT` names adds up to. */
export function readManifest(directory: string, files: LevelFiles = listFiles(directory)): Manifest | FileProblem {
  const currentFile = join(directory, 'CURRENT')
  if (!files.hasCurrent) return { file: currentFile, problem: 'it is missing' }
  const [, name] = /^(MANIFEST-\d+)\n$/.exec(readFileSync(currentFile, 'latin1')) ?? []
  if (name === undefined) return { file: currentFile, problem: 'it does not name a MANIFEST' }
  const file = join(directory, name)
  if (!files.manifests.includes(name)) return { file, problem: 'it is missing' }
  const bytes = readFileSync(file)
  const { records, end, rest } = parseLog(bytes)
  // A crash while a table is added leaves a torn end; the version before it is complete, and that one is read.
  // The file holds no values of a user, so whatever looks like a record behind the torn end is one.
  const isFollowed = rest === 'damaged' || (rest === 'torn' && recordsAnywhere(bytes, end + 1).next().done !== true)
  if (isFollowed) return { file, problem: 'a checksum does not match' }
  const manifest = parseManifest(records)
  return 'problem' in manifest ? { file, problem: manifest.problem } : manifest
}
