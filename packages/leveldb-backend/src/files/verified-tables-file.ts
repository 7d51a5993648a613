import { readFileSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

export const VERIFIED_TABLES_FILE = 'turnlog.tables'
const MAGIC = 'turnlog tables 1'

/** A table as it was seen. Whoever writes to it, or puts another file in its place, changes one of these. */
export function tableState(number: number, { dev, ino, size, ctimeNs }: BigIntStats): string {
  return `${number} ${dev} ${ino} ${size} ${ctimeNs}`
}

/**
 * The states of the tables that were known to be right when the file was written: LevelDB wrote them while the store was
 * open, or they had been checked. A table that is still in that state holds the same bytes, as long as the machine has
 * not been started again: what a disk does to a file without the kernel, it does at worst while the power fails.
 *
 * None if the file is of another start, damaged, or missing: that costs time, nothing else.
 */
export function readVerifiedTables(directory: string, boot: string): ReadonlySet<string> {
  let text: string
  try {
    text = readFileSync(join(directory, VERIFIED_TABLES_FILE), 'latin1')
  } catch {
    return new Set()
  }
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const [head, ...states] = text.slice(0, end).split('\n')
  const isWhole = text.slice(end) === sumOf(text.slice(0, end))
  return new Set(isWhole && boot !== '' && head === headOf(boot) ? states : [])
}

/** In place, and not synced: one that is cut short counts for nothing, and after a power failure it is of another start. */
export async function writeVerifiedTables(directory: string, boot: string, states: Iterable<string>): Promise<void> {
  const text = [headOf(boot), ...states, ''].join('\n')
  await writeFile(join(directory, VERIFIED_TABLES_FILE), text + sumOf(text), { mode: 0o600 })
}

function headOf(boot: string): string {
  return `${MAGIC} ${boot}`
}

function sumOf(text: string): string {
  return `${crc32(text).toString(16).padStart(8, '0')}\n`
}
