import type { TableFile } from './parse-manifest.ts'

/** From LevelDB: a compaction starts when level 0 has 4 tables, or level n more than 10^n MiB. */
const LEVEL_0_TABLES = 4
const LEVEL_1_BYTES = 10 * 1024 * 1024

/** Whether LevelDB would rewrite tables as soon as it is open and has added `added` tables to level 0. */
export function isCompactionDue(tables: readonly Pick<TableFile, 'level' | 'bytes'>[], added: number): boolean {
  const level0 = tables.filter((table) => table.level === 0).length + added
  if (level0 >= LEVEL_0_TABLES) return true
  return [1, 2, 3, 4, 5].some((level) => {
    const bytes = tables.reduce((sum, table) => sum + (table.level === level ? table.bytes : 0), 0)
    return bytes >= LEVEL_1_BYTES * 10 ** (level - 1)
  })
}
