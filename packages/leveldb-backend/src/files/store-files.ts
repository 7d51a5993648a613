import { readdirSync } from 'node:fs'

/** What lies in the directory of a store, by kind. LevelDB's own names, and what is not ours at all. */
export interface StoreFiles {
  readonly hasCurrent: boolean
  readonly hasAnchor: boolean
  /** File numbers, ascending. */
  readonly logs: readonly number[]
  /** Of the logs that have a second name, ascending. See `keepLogs`. */
  readonly keptLogs: readonly number[]
  readonly tables: ReadonlyMap<number, string>
  readonly manifests: readonly string[]
  readonly temporary: readonly string[]
  readonly foreign: readonly string[]
}

export const SET_ASIDE = 'set-aside'
const OWN =
  /^(?:turnlog\.(?:anchor|probe|tables|kept-\d+\.log|lock(?:\..*)?)|set-aside|LOCK|LOG|LOG\.old|lost\+found|\.DS_Store)$/

export function listStoreFiles(directory: string): StoreFiles {
  const names = readdirSync(directory)
  const logs: number[] = []
  const keptLogs: number[] = []
  const tables = new Map<number, string>()
  const manifests: string[] = []
  const temporary: string[] = []
  const foreign: string[] = []
  for (const name of names) {
    const [, number, kind] = /^(\d+)\.(log|ldb|sst|dbtmp)$/.exec(name) ?? []
    const [, kept] = /^turnlog\.kept-(\d+)\.log$/.exec(name) ?? []
    if (kept !== undefined) keptLogs.push(Number(kept))
    else if (kind === 'log') logs.push(Number(number))
    else if (kind === 'dbtmp') temporary.push(name)
    else if (kind !== undefined) tables.set(Number(number), name)
    else if (/^MANIFEST-\d+$/.test(name)) manifests.push(name)
    else if (name !== 'CURRENT' && !OWN.test(name)) foreign.push(name)
  }
  return {
    hasCurrent: names.includes('CURRENT'),
    hasAnchor: names.includes('turnlog.anchor'),
    logs: logs.sort((a, b) => a - b),
    keptLogs: keptLogs.sort((a, b) => a - b),
    tables,
    manifests,
    temporary,
    foreign,
  }
}

export function logName(number: number): string {
  return `${String(number).padStart(6, '0')}.log`
}

/** The second name of a log. */
export function keptName(number: number): string {
  return `turnlog.kept-${logName(number)}`
}
