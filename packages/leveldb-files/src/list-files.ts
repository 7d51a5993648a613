import { readdirSync } from 'node:fs'

/** The files of a LevelDB directory, by kind. */
export interface LevelFiles {
  readonly hasCurrent: boolean
  /** File numbers, ascending. */
  readonly logs: readonly number[]
  /** File names by number. */
  readonly tables: ReadonlyMap<number, string>
  readonly manifests: readonly string[]
  readonly temporary: readonly string[]
  /** Everything that has none of these names. */
  readonly others: readonly string[]
}

export function listFiles(directory: string): LevelFiles {
  const logs: number[] = []
  const tables = new Map<number, string>()
  const manifests: string[] = []
  const temporary: string[] = []
  const others: string[] = []
  for (const name of readdirSync(directory)) {
    const [, number, kind] = /^(\d+)\.(log|ldb|sst|dbtmp)$/.exec(name) ?? []
    if (kind === 'log') logs.push(Number(number))
    else if (kind === 'dbtmp') temporary.push(name)
    else if (kind !== undefined) tables.set(Number(number), name)
    else if (/^MANIFEST-\d+$/.test(name)) manifests.push(name)
    else others.push(name)
  }
  const hasCurrent = others.includes('CURRENT')
  logs.sort((a, b) => a - b)
  return { hasCurrent, logs, tables, manifests, temporary, others: others.filter((name) => name !== 'CURRENT') }
}

export function logName(number: number): string {
  return `${String(number).padStart(6, '0')}.log`
}

/** The name that LevelDB gives a new table; old databases also have `.sst` files. */
export function tableName(number: number): string {
  return `${String(number).padStart(6, '0')}.ldb`
}
