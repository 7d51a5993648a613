import { randomBytes } from 'node:crypto'
import { open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StoreError } from '@turnlog/core'
import type { Context } from '../context/context.ts'
import { openStream } from '../output/open-stream.ts'

type Lines = AsyncIterable<string>

/**
 * Under its name there is always a whole export, the earlier or the new one. What is no regular file, such as a FIFO or
 * a device, is written to as it is.
 *
 * @returns whether it was a regular file
 */
export async function writeWhole(context: Context, file: string, lines: Lines): Promise<boolean> {
  const stop = new AbortController()
  let writing: Promise<boolean> | undefined
  context.beforeExit(async () => {
    stop.abort()
    await writing?.catch(() => undefined) // told where it was begun
  })
  writing = write(file, lines, stop.signal)
  return writing
}

async function write(file: string, lines: Lines, signal: AbortSignal): Promise<boolean> {
  try {
    const found = await orMissing(stat(file))
    if (found === undefined || found.isFile()) {
      await replace(await withoutLinks(file), lines, signal)
      return true
    }
    await pipeline(lines, await openStream(file, found.isFIFO(), signal), { signal })
    return false
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new StoreError('IO', `Cannot write ${file}: ${error.message}`, { file, cause: error })
  }
}

async function replace(file: string, lines: Lines, signal: AbortSignal): Promise<void> {
  // Nobody else's: another export to the same file is under way beside this one, and neither ends up inside the other.
  const part = `${file}.${randomBytes(6).toString('hex')}.part`
  // Opened before anything can fail: a stream that opens it itself may do so after it has been removed below.
  const output = await open(part, 'wx', 0o600)
  try {
    await pipeline(lines, output.createWriteStream({ flush: true }), { signal })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** The file that is meant by `file`, also where it is a link to one that is yet to be made. */
async function withoutLinks(file: string): Promise<string> {
  const real = await orMissing(realpath(file))
  if (real !== undefined) return real
  const target = await readlink(file).catch(() => undefined)
  if (target === undefined) return file
  // Not joined: that would take `..` for the folder of a link instead of the folder of what it leads to.
  return withoutLinks(isAbsolute(target) ? target : `${dirname(file)}/${target}`)
}

async function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
