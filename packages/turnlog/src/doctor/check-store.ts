import { statfsSync } from 'node:fs'
import { openStore } from '@turnlog/core'
import type { SessionStore, StoreConfig } from '@turnlog/core'
import type { LockDescription, StorePlace } from '@turnlog/core/backend'
import { formatBytes } from '../output/quantities.ts'
import type { ChosenStore } from '../store/choose-store.ts'
import { checkPlace, storePlace } from '../store/store-place.ts'
import { checkPermissions } from './check-permissions.ts'
import type { Check } from './check.ts'

/** Below this a store may stop in the middle of the day. */
const LOW_DISK_BYTES = 256 * 1024 * 1024

type BeforeExit = (cleanUp: () => Promise<unknown>) => void

export async function checkStore({ config, source }: ChosenStore, beforeExit: BeforeExit): Promise<Check[]> {
  const chosen: Check = { name: 'store', status: 'ok', message: `chosen by ${source}` }
  const place = await storePlace(config)
  if (place === undefined) return [chosen, await checkOpen(config, beforeExit)]
  try {
    checkPlace(place, source)
  } catch (error) {
    return [chosen, { name: 'path', status: 'problem', message: (error as Error).message }]
  }
  const lock = await place.lock()
  const isBusy = place.asked === 'leveldb' && (lock.state === 'held' || lock.state === 'unknown')
  const skipped = 'not looked at, because a LevelDB store cannot be read while it is in use'
  return [
    chosen,
    { name: 'path', status: 'ok', message: `${place.directory} (${place.asked})` },
    ...checkPermissions(place.directory),
    checkDisk(place),
    checkLock(lock),
    isBusy ? { name: 'format', status: 'notice', message: skipped } : await checkOpen(config, beforeExit),
  ]
}

function checkDisk({ directory }: StorePlace): Check {
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize
  const message = `${formatBytes(free)} free`
  return { name: 'disk', status: free < LOW_DISK_BYTES ? 'problem' : 'ok', message }
}

function checkLock({ state, pid, host, since, file }: LockDescription): Check {
  const name = 'lock'
  const who = `process ${pid} on ${host} since ${since}`
  switch (state) {
    case 'free':
      return { name, status: 'ok', message: 'nobody has it open for writing' }
    case 'held':
      return { name, status: 'ok', message: `in use by ${who}` }
    case 'stale':
      return { name, status: 'ok', message: `left behind by ${who}, which is gone; the next writer takes it over` }
    default: {
      const owner = pid === undefined ? 'it cannot be read' : `${who} cannot be seen from here`
      return { name, status: 'notice', message: `${owner}. If that process is gone, delete ${file}` }
    }
  }
}

async function checkOpen(config: StoreConfig, beforeExit: BeforeExit): Promise<Check> {
  const name = 'format'
  const warnings: string[] = []
  try {
    const onWarning = ({ message }: { readonly message: string }): void => void warnings.push(message)
    // The other policies stay, so that they are checked; nothing acts by itself in a store that is only read.
    const { migrateFrom: _writes, ...readable } = config
    let opening: Promise<Pick<SessionStore, 'close'>> | undefined
    beforeExit(async () => (await opening?.catch(() => undefined))?.close())
    const store = await (opening = openStore({ ...readable, readOnly: true, onWarning }))
    try {
      for await (const _first of store.listSessions({ limit: 1 })) break
    } finally {
      await store.close()
    }
    if (warnings.length > 0) return { name, status: 'notice', message: warnings.join(' ') }
    return { name, status: 'ok', message: 'opens for reading; this version knows its format' }
  } catch (error) {
    return { name, status: 'problem', message: error instanceof Error ? error.message : String(error) }
  }
}
