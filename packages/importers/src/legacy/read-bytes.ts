import fs from 'node:fs'
import path from 'node:path'
import { Rejection } from './rejection.ts'

export interface FileBytes {
  readonly bytes: Buffer
  readonly modifiedAt: number
}

/**
 * Up to this size a file is read without a detour over other threads: that takes less time than parsing it, and those
 * threads are busy making other sessions durable.
 */
const SMALL_BYTES = 256 * 1024

/**
 * The bytes of a plain file. What the scan saw may have been replaced meanwhile, so links are refused here again.
 *
 * @throws {@link Rejection}
 */
export async function readBytes(directory: string, name: string): Promise<FileBytes> {
  // On Windows the last two do not exist, and `|` takes them for 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  try {
    const file = fs.openSync(path.join(directory, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stat = fs.fstatSync(file)
      if (!stat.isFile()) throw new Rejection('skipped', `${name} is not a plain file any more.`)
      const bytes = stat.size <= SMALL_BYTES ? fs.readFileSync(file) : await readLarge(file)
      return { bytes, modifiedAt: Math.trunc(stat.mtimeMs) }
    } finally {
      fs.closeSync(file)
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

function readLarge(file: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    fs.readFile(file, (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(error)
    })
  })
}
