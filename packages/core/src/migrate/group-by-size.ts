import { nodeFiles } from './node-files.ts'
import type { LegacySource } from './scan-directory.ts'

/** Sessions that are in memory at a time; more would not make a durable write any cheaper per session. */
const GROUP_SESSIONS = 128

/** Bytes of files that are in memory at a time, unless a single session is larger. */
const GROUP_BYTES = 16 * 1024 * 1024

/** Splits the sessions into groups that may be in memory together, in order. */
export async function* groupBySize(
  directory: string,
  sources: readonly LegacySource[],
): AsyncGenerator<readonly LegacySource[]> {
  for (let start = 0; start < sources.length; start += GROUP_SESSIONS) {
    const candidates = sources.slice(start, start + GROUP_SESSIONS)
    const sizes = await Promise.all(candidates.map((source) => sizeOf(directory, source)))
    let group: LegacySource[] = []
    let bytes = 0
    for (const [index, source] of candidates.entries()) {
      const size = sizes[index] ?? 0
      if (group.length > 0 && bytes + size > GROUP_BYTES) {
        yield group
        group = []
        bytes = 0
      }
      group.push(source)
      bytes += size
    }
    if (group.length > 0) yield group
  }
}

/** 0 for what cannot be looked at: reading it says why. */
async function sizeOf(directory: string, source: LegacySource): Promise<number> {
  const { fs, path } = nodeFiles()
  const name = source.kind === 'snapshot' ? source.snapshot : (source.lines ?? source.meta)
  const stat = await fs.promises.lstat(path.join(directory, name)).catch(() => undefined)
  return stat?.size ?? 0
}
