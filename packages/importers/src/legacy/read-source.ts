import crypto from 'node:crypto'
import type { LegacySession } from './legacy-session.ts'
import { readBytes } from './read-bytes.ts'
import { readLog } from './read-log.ts'
import { readSnapshot } from './read-snapshot.ts'
import type { LegacySource } from './scan-directory.ts'

export interface ReadSource {
  readonly session: LegacySession
  /** The same for the same contents, whatever the files are called. */
  readonly operationId: string
}

/**
 * Reads and checks the files of a legacy session.
 *
 * @throws {@link Rejection}
 */
export async function readSource(directory: string, source: LegacySource): Promise<ReadSource> {
  if (source.kind === 'snapshot') {
    const file = await readBytes(directory, source.snapshot)
    const session = readSnapshot(source.file, file)
    return { session, operationId: operationIdOf([file.bytes]) }
  }
  const meta = { name: source.meta, ...(await readBytes(directory, source.meta)) }
  const lines = source.lines === undefined ? Buffer.alloc(0) : (await readBytes(directory, source.lines)).bytes
  const session = readLog(source.file, meta, lines)
  return { session, operationId: operationIdOf([meta.bytes, lines]) }
}

function operationIdOf(contents: readonly Uint8Array[]): string {
  const hash = crypto.createHash('sha256')
  for (const bytes of contents) hash.update(`${bytes.length}:`).update(bytes)
  // Half of it is more than enough, and it is written with every event of the import.
  return `migrate:${hash.digest('base64url').slice(0, 22)}`
}
