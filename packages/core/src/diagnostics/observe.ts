import { nodeModules } from '../runtime/node-modules.ts'
import { isStoreError } from '../errors/store-error.ts'

/** What every measurement has. */
export interface Measured {
  /** Name of the backend. */
  readonly backend: string
  readonly durationMs: number
  /** The code of the error, if it failed; the sizes are missing then. `UNKNOWN` if it has no code of ours. */
  readonly error?: string
}

/** The channels of `node:diagnostics_channel` on which the store tells what it did, and what each of them carries. */
export interface Diagnostics {
  'turnlog:open': Measured & { readonly findings?: number }
  'turnlog:append': Measured & { readonly session: string; readonly events?: number; readonly bytes?: number }
  /** A session that was not in memory, or that another process may have written to. */
  'turnlog:load': Measured & { readonly session: string; readonly messages?: number; readonly bytes?: number }
  'turnlog:compaction': Measured & {
    readonly session: string
    readonly reason: 'asked' | 'retention' | 'autoCompact'
    readonly eventsRemoved?: number
    readonly bytesFreed?: number
  }
  'turnlog:sweep': Measured & {
    readonly sessions?: number
    readonly expired?: number
    readonly compacted?: number
    readonly eventsRemoved?: number
    readonly failed?: number
  }
}

interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}

/** For where there is no Node: nobody can listen. */
const SILENT: Channel = { hasSubscribers: false, publish: () => undefined }

const node = nodeModules()?.diagnostics

function channelOf(name: keyof Diagnostics): Channel {
  return node?.channel(name) ?? SILENT
}

const channels: Readonly<Record<keyof Diagnostics, Channel>> = {
  'turnlog:open': channelOf('turnlog:open'),
  'turnlog:append': channelOf('turnlog:append'),
  'turnlog:load': channelOf('turnlog:load'),
  'turnlog:compaction': channelOf('turnlog:compaction'),
  'turnlog:sweep': channelOf('turnlog:sweep'),
}

/** Whether anybody listens. Asked first where even a closure for each message would cost. */
export function isObserved(name: keyof Diagnostics): boolean {
  return channels[name].hasSubscribers
}

/** Does the work, and tells who listens how long it took and how much it was. Without listeners it only does the work. */
export function observe<Name extends keyof Diagnostics, T>(
  name: Name,
  about: Omit<Diagnostics[Name], 'durationMs' | 'error'>,
  work: () => Promise<T>,
  sizes: (result: T) => Partial<Diagnostics[Name]>,
): Promise<T> {
  return isObserved(name) ? timed(channels[name], about, work, sizes) : work()
}

async function timed<T>(
  channel: Channel,
  about: object,
  work: () => Promise<T>,
  sizes: (result: T) => object,
): Promise<T> {
  const startedAt = performance.now()
  try {
    const result = await work()
    channel.publish({ ...about, ...sizes(result), durationMs: performance.now() - startedAt })
    return result
  } catch (error) {
    const code = isStoreError(error) ? error.code : 'UNKNOWN'
    channel.publish({ ...about, durationMs: performance.now() - startedAt, error: code })
    throw error
  }
}
