import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { withoutCompactPointers } from './parse-manifest.ts'
import { parseLog } from './read-log.ts'
import { encodeLog } from './write-log.ts'

/**
 * Rewrites the MANIFEST of a closed database without the keys at which the next compaction of each level begins. They
 * are hints, but they hold keys, and LevelDB copies them from MANIFEST to MANIFEST. The file is replaced whole or not
 * at all.
 */
export function removeCompactPointers(directory: string): void {
  const name = readFileSync(join(directory, 'CURRENT'), 'latin1').trim()
  const file = join(directory, name)
  const { records, rest } = parseLog(readFileSync(file))
  if (rest === 'damaged') return
  const kept: Buffer[] = []
  for (const { bytes } of records) {
    const stripped = withoutCompactPointers(bytes)
    if (stripped === undefined) return // not understood: it stays as it is, and the next reader refuses it
    kept.push(stripped)
  }
  const temporary = join(directory, '000000.dbtmp')
  writeFileSync(temporary, encodeLog(kept), { mode: 0o600, flush: true })
  renameSync(temporary, file)
}
