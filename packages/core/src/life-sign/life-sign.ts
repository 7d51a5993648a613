import { chmodSync, closeSync, constants, lstatSync, openSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { basename, dirname } from 'node:path'

import { fileSystemType } from './file-system-type.ts'
import { isLocal } from './is-local.ts'

/** A sign that a process lives, which the kernel takes back whatever becomes of that process. */
export interface LifeSign {
  /** The kind of file system that it is given in. Whoever asks `isAlive` has to know it. */
  readonly fileSystem: number
  /**
   * Takes it back, and its file with it. With `keepFile` that stays, and says that the one who gave it is gone: for who
   * has to leave behind what it was given for.
   */
  end(keepFile?: boolean): void
}

/** The kernel gives it to the first one, which sees every process of the machine. */
const FIRST_NAMESPACE = 'pid:[4026531836]'

/**
 * Whether process ids mean something else elsewhere on this machine: in a container. Only there is a sign worth a file
 * in the directory of a store.
 */
export function isContained(): boolean {
  try {
    return readlinkSync('/proc/self/ns/pid') !== FIRST_NAMESPACE
  } catch {
    return false // there is no /proc here, and no containers of this kind
  }
}

/**
 * Makes `file` a socket that this process listens at. Two containers do not see each other's processes, but whoever sees
 * the file can ask the kernel whether somebody still listens there.
 *
 * @returns `undefined` where that cannot be done: then nobody can tell, as without it
 */
export async function giveLifeSign(file: string): Promise<LifeSign | undefined> {
  let directory: number | undefined
  let server: Server | undefined
  const end = (keepFile = false): void => {
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
    // Node removes the name that it was given when the process ends in good order. A sign without its file says nothing
    // about the one who gave it; without its listener it says that he is gone.
    renameSync(`${file}.new`, file)
    return { fileSystem, end }
  } catch {
    end()
    return undefined
  }
}

/**
 * Whether the one who gave it still lives, as the kernel of this machine knows it: not to be asked about a process of
 * another machine, or of before this one was started.
 *
 * @param fileSystem the kind that the sign was given in. Seen in another one it has no listener, whether its owner lives
 *   or not.
 * @returns `undefined` if that cannot be told
 */
export async function isAlive(file: string, fileSystem: number | undefined): Promise<boolean | undefined> {
  let directory: number | undefined
  try {
    // The kernel refuses to connect to any other kind of file as it does where nobody listens.
    if (!isLocal(dirname(file)) || !lstatSync(file).isSocket()) return undefined
    directory = openDirectory(file)
    const answer = await isAnswered(shortName(directory, basename(file)))
    const isSeenAsGiven = fileSystem !== undefined && fileSystemType(dirname(file)) === fileSystem
    return answer === false && !isSeenAsGiven ? undefined : answer
  } catch {
    return undefined
  } finally {
    if (directory !== undefined) closeSync(directory)
  }
}

function openDirectory(file: string): number {
  return openSync(dirname(file), constants.O_RDONLY | constants.O_DIRECTORY)
}

/** What stays says that its owner is gone, which is true. */
function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Nothing depends on it, and the descriptor and the listener have to end all the same.
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
      // More ask at a time than the kernel lets wait: somebody listens.
      else settle(code === 'EAGAIN' ? true : undefined)
    })
  })
}
