import { chmodSync, closeSync, constants, lstatSync, openSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { basename, dirname } from 'node:path'
import { isMainThread } from 'node:worker_threads'

import { fileSystemType, isLocal } from './file-system-type.ts'

/** Shows that a process lives; the kernel closes it whatever becomes of that process. */
export interface LivenessSocket {
  /** The kind of file system that it lies in. Whoever probes it has to know it. */
  readonly fileSystem: number
  /**
   * Closes it and removes its file. With `keepFile` the file stays, and says that its owner is gone: for an owner that
   * has to leave its lock behind.
   */
  close(keepFile?: boolean): void
}

/** The kernel gives it to the first one, which sees every process of the machine. */
const FIRST_NAMESPACE = 'pid:[4026531836]'

/**
 * Whether an owner in this thread should open a liveness socket: only in a container, because everywhere else processes
 * see each other, and only in the main thread. When a worker thread ends, Node closes its sockets before the writes that
 * it has begun have ended: whoever probed meanwhile would take over from a thread that still writes.
 */
export function needsLivenessSocket(): boolean {
  if (!isMainThread) return false
  try {
    return readlinkSync('/proc/self/ns/pid') !== FIRST_NAMESPACE
  } catch {
    return false // there is no /proc here, and no containers of this kind
  }
}

/**
 * Listens at `file`. Two containers do not see each other's processes, but whoever sees the file can ask the kernel
 * whether some process still listens there.
 *
 * @returns `undefined` where that cannot be done: then the owner cannot be seen from another container, as without it
 */
export async function openLivenessSocket(file: string): Promise<LivenessSocket | undefined> {
  let directory: number | undefined
  let server: Server | undefined
  const close = (keepFile = false): void => {
    server?.close()
    if (directory === undefined) return
    const open = directory
    directory = undefined
    // Where the directory is now: a repair moves it.
    const names = keepFile ? [] : [basename(file), `${basename(file)}.new`]
    for (const name of names) removeIfPossible(shortName(open, name))
    closeSync(open)
  }
  try {
    const fileSystem = fileSystemType(dirname(file))
    if (fileSystem === undefined || !isLocal(dirname(file))) return undefined
    directory = openDirectory(file)
    server = await listen(shortName(directory, `${basename(file)}.new`))
    chmodSync(`${file}.new`, 0o600)
    // Node removes the name that it was given when the process ends in good order. A lock whose socket has no file says
    // nothing about its owner; a file at which nobody listens says that the owner is gone.
    renameSync(`${file}.new`, file)
    return { fileSystem, close }
  } catch {
    close()
    return undefined
  }
}

/**
 * Whether the owner of a socket still lives, as the kernel of this machine knows it: not to be asked about a process of
 * another machine, or of before this one was started.
 *
 * @param fileSystem the kind that the socket was opened in. Seen in another one nobody listens at it, whether its owner
 *   lives or not.
 * @returns `undefined` if that cannot be told
 */
export async function probeLiveness(file: string, fileSystem: number | undefined): Promise<boolean | undefined> {
  let directory: number | undefined
  try {
    // The kernel refuses to connect to any other kind of file as it does where nobody listens.
    if (!isLocal(dirname(file)) || !lstatSync(file).isSocket()) return undefined
    directory = openDirectory(file)
    const answer = await isAnswered(shortName(directory, basename(file)))
    const isSeenAsOpened = fileSystem !== undefined && fileSystemType(dirname(file)) === fileSystem
    return answer === false && !isSeenAsOpened ? undefined : answer
  } catch {
    return undefined
  } finally {
    if (directory !== undefined) closeSync(directory)
  }
}

function openDirectory(file: string): number {
  return openSync(dirname(file), constants.O_RDONLY | constants.O_DIRECTORY)
}

/** A file that stays says that its owner is gone, which is true. */
function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Nothing depends on it, and the descriptor and the listener have to be closed all the same.
  }
}

/** The address of a socket has at most 107 bytes, and longer ones are cut without a word. */
function shortName(directory: number, name: string): string {
  return `/proc/self/fd/${directory}/${name}`
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    // Exclusive: in a worker of a cluster it is the worker's own, not one that the primary process holds for it.
    server.listen({ path, exclusive: true }, () => {
      server.on('error', () => undefined) // of a single connection: it has been answered all the same
      resolve(server)
    })
    server.unref()
  })
}

function isAnswered(path: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    const settle = (answer: boolean | undefined): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') settle(false)
      // More processes ask than the kernel lets wait: somebody listens.
      else settle(code === 'EAGAIN' ? true : undefined)
    })
  })
}
