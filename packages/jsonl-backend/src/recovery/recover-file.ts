import type { OpenFinding } from '@turnlog/core/backend'
import type { FileStat, FileSystem } from '../file-system/file-system.ts'
import { corrupt } from '../format/corrupt.ts'
import type { Committed } from '../format/committed.ts'
import type { Inspection } from './inspect-file.ts'
import { inspectFile } from './inspect-file.ts'
import { copyAside } from './set-aside.ts'

/** How to inspect a file that differs from what the sidecar knows. */
export interface RecoverOptions {
  readonly path: string
  readonly name: string
  /** The last acknowledged seq, and the incarnation it belongs to. */
  readonly known: Pick<Committed['head'], 'last' | 'incarnation'> | undefined
  /** A power failure may have taken acknowledged events, because writes did not wait for the disk. */
  readonly mayHaveLost: boolean
  /** False: change nothing. */
  readonly write: boolean
}

export interface Recovered {
  /** `undefined`: nothing is left of the session. */
  readonly committed: Committed | undefined
  readonly stat: FileStat
  readonly findings: readonly OpenFinding[]
}

/**
 * Inspects a file and cuts off an unfinished final batch, which is kept in a file beside it.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`, system errors
 */
export async function recoverFile(fileSystem: FileSystem, options: RecoverOptions): Promise<Recovered> {
  const { path, name, known, mayHaveLost, write } = options
  const file = await fileSystem.open(path, { access: write ? 'write' : 'read' })
  try {
    const inspection = await inspectFile(file, path, name)
    const { committed, header, tornBytes } = inspection
    const { session } = header
    const findings: OpenFinding[] = []
    const last = committed?.head.last ?? header.base - 1
    if (known !== undefined && known.incarnation === header.incarnation && known.last > last) {
      if (!mayHaveLost) {
        throw corrupt(`the file ends with event ${last}, but event ${known.last} had been recorded in it`, {
          file: path,
          session,
          seq: last + 1,
        })
      }
      const message = `Session ${JSON.stringify(session)} ends with event ${last}; events up to ${known.last} were written without waiting for the disk and are lost.`
      findings.push({ kind: 'lost-tail', message, session, file: path })
    }
    if (committed === undefined && !(mayHaveLost && write)) throw neverComplete(inspection, path)
    if (tornBytes > 0) {
      const what = `Session ${JSON.stringify(session)} ends in an append that was never finished (${tornBytes} bytes)`
      const finding = { kind: 'torn-tail', session, bytes: tornBytes } as const
      if (write) {
        const aside = await copyAside(fileSystem, path, file, file.stat().size - tornBytes, 'torn')
        findings.push({ ...finding, message: `${what}. It was cut off and is kept in ${aside}.`, file: aside })
        await file.truncate(file.stat().size - tornBytes)
        await file.sync()
      } else {
        findings.push({ ...finding, message: `${what}. It is ignored; the next writer cuts it off.`, file: path })
      }
    }
    return { committed, stat: file.stat(), findings }
  } finally {
    await file.close()
  }
}

function neverComplete({ header }: Inspection, path: string): Error {
  return corrupt('there is no whole append in the file, although a file gets its name only when its first one is', {
    file: path,
    session: header.session,
    seq: header.base,
    line: 2,
  })
}
