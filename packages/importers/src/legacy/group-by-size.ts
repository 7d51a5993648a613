import fs from 'node:fs'
import path from 'node:path'
import type { LegacySource } from './scan-directory.ts'

/** Sessions that are in memory at a time; more would not make a durable write any cheaper per session. */
const GROUP_SESSIONS = 128

/** Bytes of files that are in memory at a time, unless a single session is larger. */
const GROUP_BYTES = 16 * 1024 * 1024

/** Splits the sessions into groups that may be in memory together, in order. */
export function* groupBySize(directory: string, sources: readonly LegacySource[]): Generator<readonly LegacySource[]> {
  let group: LegacySource[] = []
  let bytes = 0
  for (const source of sources) {
    const size = sizeOf(directory, source)
    if (group.length === GROUP_SESSIONS || (group.length > 0 && bytes + size > GROUP_BYTES)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(source)
    bytes += size
  }
  if (group.length > 0) yield group
}

function sizeOf(directory: string, source: LegacySource): number {
  const name = source.kind === 'snapshot' ? source.snapshot : (source.lines ?? source.meta)
  try {
    return fs.lstatSync(path.join(directory, name)).size
  } catch {
    return 0 // reading it says why
  }
}
