import type { Problem } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { sessionSeed } from '../format/checksum.ts'
import type { Committed } from '../format/committed.ts'
import { inspectFile } from '../recovery/inspect-file.ts'
import type { FoundHeader } from './find-header.ts'
import { findHeader } from './find-header.ts'
import { repairedLines } from './repaired-lines.ts'
import { readableEvents } from './readable-events.ts'
import { RepairPlan } from './repair-plan.ts'
import type { SalvagedLine } from './salvage-lines.ts'
import { salvageLines } from './salvage-lines.ts'

/** What a repair does to a file. */
export interface FileRepair {
  readonly actions: readonly Problem[]
  /** Last seq that is kept, 0 if nothing is. */
  readonly last: number
  /** The new content, piece by piece; `undefined` if nothing can be kept. */
  readonly pieces: (() => AsyncGenerator<Buffer>) | undefined
}

/**
 * Plans the repair of a file. Numbers have no gaps, so of a file with damage inside, the longest run that can be
 * read is kept, and may begin and end inside an append; an append that was never finished is cut off; lines that were
 * edited on purpose get new checksums.
 *
 * @param known What the sidecar remembers of the file.
 */
export async function planRepair(
  file: OpenFile,
  path: string,
  name: string,
  known: Committed | undefined,
): Promise<FileRepair> {
  const found = await findHeader(file, path, name, known)
  if (typeof found === 'string') {
    const events = await readableEvents(file)
    const message = events === '' ? found : `${found} Drop ${events}, which can be read.`
    return { actions: [{ message, file: path, line: 1 }], last: 0, pieces: undefined }
  }
  const { header } = found
  const plan = new RepairPlan(found, path, await tornAfter(file, path, name, found, known))
  for await (const line of salvage(file, found)) plan.add(line)
  const readable = plan.finish()
  const { actions } = plan
  if (readable === undefined && header.empty === undefined) return { actions, last: 0, pieces: undefined }
  const kept = readable ?? { from: header.base, to: header.base - 1 }
  return { actions, last: kept.to, pieces: () => repairedLines(header, salvage(file, found), kept) }
}

/**
 * The last event in front of an append that was never finished, so that repair cuts off what opening would. If opening
 * refuses the end of the file, or would miss events, every event counts: `Infinity`.
 */
async function tornAfter(
  file: OpenFile,
  path: string,
  name: string,
  { header, offset }: FoundHeader,
  known: Committed | undefined,
): Promise<number> {
  try {
    const { committed } = await inspectFile(file, path, name, { header, dataStart: offset })
    // The file was rewritten for an append that trimmed, which is not there any more.
    if (committed === undefined || committed.head.first < header.base) return Infinity
    const { last, incarnation } = committed.head
    return known?.head.incarnation === incarnation && known.head.last > last ? Infinity : last
  } catch (error) {
    if (!isStoreError(error, 'CORRUPT')) throw error
    return Infinity
  }
}

function salvage(file: OpenFile, { header, isTrusting, offset, line }: FoundHeader): AsyncGenerator<SalvagedLine> {
  const reader = { seed: sessionSeed(header.incarnation), isTrusting }
  return salvageLines(file, { offset, line, base: header.base }, reader)
}
