/** Marks in the trace between which syncs are counted: no such files exist. */
export const BEGIN_MARK = '/turnlog-bench-begin'
export const END_MARK = '/turnlog-bench-end'

export const TRACED_CALLS = 'access,openat,close,write,pwrite64,writev,pwritev,fsync,fdatasync,msync'

const CALL = /^(\d+)\s+(\w+)\((.*)$/
const RESUMED = /^(\d+)\s+<\.\.\. (\w+) resumed>.*= (-?\d+)/
const RESULT = /= (-?\d+)[^=]*$/

/**
 * Syncs between the marks in the output of `strace -f`: calls that sync, and writes to files that were opened so that
 * every write is synced.
 */
export function countSyncs(trace: string): number {
  const synced = new Set<string>()
  const opening = new Set<string>()
  let isCounting = false
  let count = 0
  for (const line of trace.split('\n')) {
    const resumed = RESUMED.exec(line)
    if (resumed !== null) {
      const [, thread = '', call, result = ''] = resumed
      if (call === 'openat' && opening.delete(thread)) synced.add(result)
      continue
    }
    const [, thread = '', call = '', rest = ''] = CALL.exec(line) ?? []
    if (call === 'access' && rest.includes(BEGIN_MARK)) isCounting = true
    else if (call === 'access' && rest.includes(END_MARK)) isCounting = false
    else if (call === 'openat') {
      const isSynced = /O_D?SYNC/.test(rest)
      const result = RESULT.exec(rest)?.[1]
      if (result === undefined || rest.includes('<unfinished')) {
        if (isSynced) opening.add(thread)
      } else if (isSynced) synced.add(result)
      else synced.delete(result)
    } else if (isCounting) {
      const isSync = call === 'fsync' || call === 'fdatasync' || (call === 'msync' && rest.includes('MS_SYNC'))
      const isSyncedWrite = /^p?writev?(64)?$/.test(call) && synced.has(/^\d+/.exec(rest)?.[0] ?? '')
      if (isSync || isSyncedWrite) count++
    }
  }
  return count
}
