import type { Json } from '@turnlog/core/backend'
import { writeAll } from '../file-system/write-all.ts'
import { encodeHeader } from '../format/header.ts'
import type { Committed } from '../format/committed.ts'
import type { Snapshot } from '../read/locate-line.ts'
import { replaceFile, UnsettledName } from './replace-file.ts'
import { copyBytes } from '../recovery/set-aside.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Puts a file without the lines in front of `start` in place of the old one. The lines that stay are copied as they are: their
 * checksums know the seq, not the place. If none stays, the header carries the projection.
 */
export async function rewriteFile(
  context: WriteContext,
  name: string,
  { file: source, committed }: Snapshot,
  start: number,
): Promise<{ readonly rewritten: Committed; readonly unsettled?: UnsettledName }> {
  const { session, head, size } = committed
  const { first, incarnation } = head
  const isEmpty = first > head.last
  const header = encodeHeader({
    session,
    incarnation,
    base: first,
    ...(isEmpty ? { empty: { projection: JSON.parse(committed.projectionText) as Json } } : {}),
  })
  const dataStart = header.length
  const newSize = dataStart + (isEmpty ? 0 : size - start)
  const rewritten = { ...committed, base: first, dataStart, liveStart: dataStart, size: newSize }
  try {
    const lease = await replaceFile(context, name, async (file) => {
      await writeAll(file, header, 0)
      if (!isEmpty) await copyBytes(source, file, start, size, header.length)
    })
    lease.release()
    return { rewritten }
  } catch (error) {
    if (error instanceof UnsettledName) return { rewritten, unsettled: error }
    throw error
  }
}
