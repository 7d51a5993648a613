import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { parseLog } from './log-file.ts'
import { encodeLog } from './log-writer.ts'
import { withoutCompactPointers } from './manifest.ts'

/**
 * Rewrites the MANIFEST of a closed database without the keys at which each level's next compaction begins. They are
 * hints, but they are keys, and LevelDB carries them over for ever. The file is replaced whole or not at all.
 */
export function forgetCompactions(directory: string): void {
  const name = readFileSync(join(directory, 'CURRENT'), 'latin1').trim()
  const file = join(directory, name)
  const { records, rest } = parseLog(readFileSync(file))
  if (rest === 'damaged') return
  const kept: Buffer[] = []
  for (const { bytes } of records) {
    const stripped = withoutCompactPointers(bytes)
    if (stripped === undefined) return // not understood: left as it is, and refused when it is opened
    kept.push(stripped)
  }
  const temporary = join(directory, '000000.dbtmp')
  writeFileSync(temporary, encodeLog(kept), { mode: 0o600, flush: true })
  renameSync(temporary, file)
}
