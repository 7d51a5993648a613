import { nodeFiles } from './node-files.ts'
import { Rejection } from './rejection.ts'

export interface FileBytes {
  readonly bytes: Buffer
  readonly modifiedAt: number
}

/**
 * The bytes of a plain file. What the scan saw may have been replaced meanwhile, so links are refused here again.
 *
 * @throws {@link Rejection}
 */
export async function readBytes(directory: string, name: string): Promise<FileBytes> {
  const { fs, path } = nodeFiles()
  // On Windows the last two do not exist, and `|` takes them for 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  try {
    const handle = await fs.promises.open(path.join(directory, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) throw new Rejection('skipped', `${name} is not a plain file any more.`)
      return { bytes: await handle.readFile(), modifiedAt: Math.trunc(stat.mtimeMs) }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof Rejection) throw error
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new Rejection('failed', `${name} cannot be read (${code}). Make it readable and run again.`, {
      code: 'IO',
      cause: error,
    })
  }
}
