/** The primary result codes that are told apart, https://sqlite.org/rescode.html. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'ERROR'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [15, 'PROTOCOL'],
  [18, 'TOOBIG'],
  [19, 'CONSTRAINT'],
  [26, 'NOTADB'],
])

/** What SQLite says went wrong, or `undefined` if SQLite did not say it. */
export function failureOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // node:sqlite gives the extended number, better-sqlite3 the extended name.
  if (typeof errcode === 'number') return NAMES.get(errcode & 0xff) ?? 'ERROR'
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return undefined
  return code.split('_')[1]
}

/** Another connection holds a lock, which it will give back. */
export function isBusy(error: unknown): boolean {
  const failure = failureOf(error)
  return failure === 'BUSY' || failure === 'PROTOCOL'
}
