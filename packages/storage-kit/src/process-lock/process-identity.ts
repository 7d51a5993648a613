import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

import { startTime } from './start-time.ts'

/** Which process on which machine. A pid comes again; pid and start time together never do. */
export interface ProcessIdentity {
  readonly host: string
  /** Random per start of the machine. What cannot be read, for want of `/proc`, is empty. */
  readonly boot: string
  readonly pidNamespace: string
  readonly pid: number
  /** In ticks since the machine started, as the time namespace counts them. */
  readonly start: string
  /** In which the start time was read: each one counts it from another moment. Locks of older versions do not say it. */
  readonly timeNamespace?: string | undefined
}

export function processIdentity(): ProcessIdentity {
  return {
    host: hostname(),
    boot: bootId(),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    start: startTime(process.pid),
    timeNamespace: attempt(() => readlinkSync('/proc/self/ns/time')),
  }
}

/** Another one after each start of the machine; empty where there is none to read. */
export function bootId(): string {
  return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // there is no /proc here
  }
}
