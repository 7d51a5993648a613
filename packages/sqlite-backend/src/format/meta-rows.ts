import type { Database } from '../database/database.ts'
import { metaChecksum } from './checksums.ts'
import { corrupt } from './corrupt.ts'
import type { Tables } from './tables.ts'

/** @throws `CORRUPT` */
export function readMeta(database: Database, { meta }: Tables, key: string): string | undefined {
  // All of them: one that is damaged may no longer be where it is looked for.
  const rows = database.all<{ key: string; value: string; crc: number }>(`SELECT key, value, crc FROM ${meta}`)
  for (const { key, value, crc } of rows) {
    if (metaChecksum(key, value) !== crc) throw corrupt('the checksum of a row about the store is wrong')
  }
  return rows.find((row) => row.key === key)?.value
}

export function writeMeta(database: Database, { meta }: Tables, key: string, value: string): void {
  database.run(
    `INSERT OR REPLACE INTO ${meta} (key, value, crc) VALUES (?, ?, ?)`,
    key,
    value,
    metaChecksum(key, value),
  )
}
