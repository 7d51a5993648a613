import { readdir } from 'node:fs/promises'

/** What this process holds. A count is 0 where the system does not say: it then cannot grow. */
export interface Resources {
  readonly descriptors: number
  /** What keeps the event loop alive: timers, watchers, sockets, ports of worker threads. */
  readonly handles: number
  readonly threads: number
}

export async function resourcesInUse(): Promise<Resources> {
  await new Promise(setImmediate) // what was released in this turn is gone in the next
  const countOf = (directory: string): Promise<number> =>
    readdir(directory).then(
      ({ length }) => length,
      () => 0,
    )
  return {
    descriptors: await countOf('/proc/self/fd'),
    handles: process.getActiveResourcesInfo().filter((kind) => !REQUESTS.has(kind)).length,
    threads: await countOf('/proc/self/task'),
  }
}

/** Work that is under way and ends by itself. */
const REQUESTS = new Set(['FSReqPromise', 'FSReqCallback', 'FSReqAfterScopeEnd', 'Immediate', 'CloseReq'])
