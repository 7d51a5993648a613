import type { Problem } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { sessionSeed } from '../format/checksum.ts'
import { encodeHeader } from '../format/header.ts'
import type { Committed } from '../session/committed.ts'
import type { FoundHeader } from './find-header.ts'
import { findHeader } from './find-header.ts'
import { encodeLine } from './repair-lines.ts'
import type { Stretch } from './repair-plan.ts'
import { RepairPlan } from './repair-plan.ts'
import type { SalvagedLine } from './salvage-lines.ts'
import { salvageLines } from './salvage-lines.ts'

/** What is to be done to a file. */
export interface Mending {
  readonly actions: readonly Problem[]
  /** Last seq that is kept, 0 if nothing is. */
  readonly last: number
  /** The new content, piece by piece; `undefined` if nothing can be kept. */
  readonly pieces: (() => AsyncGenerator<Buffer>) | undefined
}

/**
 * Plans the repair of a file. Numbers have no gaps, so of a file with damage inside, the longest stretch that can be
 * read is kept; an unfinished end is cut; lines that were edited on purpose get new checksums.
 *
 * @param known What the sidecar remembers of the file.
 */
export async function mendFile(
  file: OpenFile,
  path: string,
  name: string,
  known: Committed | undefined,
): Promise<Mending> {
  const found = await findHeader(file, path, name, known)
  if (typeof found === 'string') {
    return { actions: [{ message: found, file: path, line: 1 }], last: 0, pieces: undefined }
  }
  const { header } = found
  const plan = new RepairPlan(found, path)
  for await (const line of salvage(file, found)) plan.add(line)
  const kept = plan.finish()
  if (kept === undefined) {
    if (header.empty === undefined) return { actions: plan.actions, last: 0, pieces: undefined }
    const nothing = { from: header.base, to: 0 }
    return { actions: plan.actions, last: header.base - 1, pieces: () => writePieces(file, found, nothing) }
  }
  return { actions: plan.actions, last: kept.to, pieces: () => writePieces(file, found, kept) }
}

function salvage(file: OpenFile, { header, isTrusting, offset, line }: FoundHeader): AsyncGenerator<SalvagedLine> {
  const reader = { seed: sessionSeed(header.incarnation), isTrusting }
  return salvageLines(file, { offset, line, base: header.base }, reader)
}

async function* writePieces(file: OpenFile, found: FoundHeader, kept: Stretch): AsyncGenerator<Buffer> {
  const { header } = found
  const seed = sessionSeed(header.incarnation)
  const { session, incarnation } = header
  yield encodeHeader(kept.from === header.base ? header : { session, incarnation, base: kept.from })
  let first = 0
  let next = kept.from
  for await (const { read } of salvage(file, found)) {
    if (read === undefined || read.seq !== next || read.seq > kept.to) continue
    next++
    const { batchEnd } = read
    first = Math.max(first, batchEnd?.first ?? 0)
    const begin = Math.max(first, kept.from)
    if (read.seq === kept.to && batchEnd !== undefined && batchEnd.first !== begin) {
      // What the projection says of events that are gone is no longer true: without one it is computed from the log.
      const projection = begin > first ? null : batchEnd.projection
      yield encodeLine({ ...read, batchEnd: { ...batchEnd, first: begin, lines: 1, projection } }, seed)
    } else {
      yield read.bytes ?? encodeLine(read, seed)
    }
  }
}
