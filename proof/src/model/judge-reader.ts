import type { Operation } from './operation.ts'
import { readJournal } from './read-journal.ts'

/**
 * Compares what a reader saw with what the writers knew. A calm writer makes one call at a time and looks after each
 * that does not say its version, and so does its successor: every version that ever was is in its journal, with the
 * view at that version. What a reader saw at any other version was half an append, or was taken back.
 */
export function judgeReader(
  writerJournal: string,
  readerJournal: string,
): { readonly reads: number; readonly problems: readonly string[] } {
  const known = viewsOf(writerJournal)
  const problems: string[] = []
  const latest = new Map<string, number>()
  let reads = 0
  for (const record of readJournal(readerJournal)) {
    if (record.t === 'blind') problems.push(`${record.key}: cannot be read: ${record.code}: ${record.message}`)
    if (record.t === 'refused') problems.push(`cannot be opened for reading: ${record.code}: ${record.message}`)
    if (record.t !== 'saw') continue
    reads++
    const { key, sight, least = 0 } = record
    const { version, ids, counter: last } = sight
    const before = latest.get(key) ?? 0
    latest.set(key, Math.max(before, version))
    const expected = known.get(key)?.get(version)
    const say = (text: string): void => void problems.push(`${key}: ${text}`)
    if (version < before) say(`version ${version} was seen after ${before}`)
    if (version < least) say(`version ${version} was seen after ${least} was acknowledged`)
    if (last !== 0 && last < version) say(`the log ends at ${last}, or has a gap, after version ${version} was seen`)
    if (version === 0) continue
    if (expected === undefined) say(`version ${version} was seen, and never was between two appends`)
    else if (expected !== JSON.stringify(ids)) say(`at version ${version} ${ids.length} messages were seen, not those`)
  }
  return { reads, problems }
}

/** Every version of every session, with its view as JSON. */
function viewsOf(journal: string): ReadonlyMap<string, ReadonlyMap<number, string>> {
  const known = new Map<string, Map<number, string>>()
  const views = new Map<string, readonly string[]>()
  const calls = new Map<string, Operation>()
  for (const record of readJournal(journal)) {
    if (!('key' in record)) continue
    const { key } = record
    const versions = known.get(key) ?? new Map<number, string>()
    known.set(key, versions)
    if (record.t === 'saw') {
      versions.set(record.sight.version, JSON.stringify(record.sight.ids))
      views.set(key, record.sight.ids)
    } else if (record.t === 'begin') {
      calls.set(key, record.op)
    } else if (record.t === 'done' && record.version !== undefined) {
      const view = after(views.get(key) ?? [], calls.get(key))
      views.set(key, view)
      versions.set(record.version, JSON.stringify(view))
    }
  }
  return known
}

function after(view: readonly string[], op: Operation | undefined): readonly string[] {
  if (op?.kind === 'add') return [...view, ...op.ids]
  return op?.kind === 'keepLast' ? view.slice(-op.count) : view
}
