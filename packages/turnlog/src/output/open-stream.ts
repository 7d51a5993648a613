import { constants, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { StoreError } from '@turnlog/core'

/** How often is looked whether a FIFO has a reader. */
const LOOK_AGAIN_MS = 50

/** What is there already and is no regular file, for writing as a shell would: a FIFO when it has a reader, a device. */
export async function openStream(file: string, isFifo: boolean, signal: AbortSignal): Promise<Writable> {
  if (isFifo) return openFifo(file, signal)
  const output = await open(file, 'w')
  if (!isatty(output.fd)) return output.createWriteStream()
  await output.close()
  // Written to a terminal, what messages contain could act on it.
  throw new StoreError('INVALID_ARGUMENT', `${file} is a terminal. Give a file or a pipe.`)
}

/** Waiting for a reader inside the system call would keep a thread that no signal ends, and with it the process. */
async function openFifo(file: string, signal: AbortSignal): Promise<Socket> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const fd = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK)
      return new Socket({ fd, readable: false, writable: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    }
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal })
  }
}
