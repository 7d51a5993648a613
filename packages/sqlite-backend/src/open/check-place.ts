import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

/** `f_type` of file systems that several machines may have, as Linux names them. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x564c, 'NCP'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
])

/**
 * Refuses what cannot become a database, before anything is made. SQLite's write-ahead log needs memory that all who
 * have the file open share, which machines do not.
 *
 * @throws `INVALID_CONFIG`
 */
export function checkPlace(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new StoreError(
      'INVALID_CONFIG',
      `${path} is a directory. Give the file of the database, such as ${path}/sessions.db.`,
      {
        file: path,
      },
    )
  }
  const network = NETWORK.get(fileSystemOf(path) ?? 0)
  if (network === undefined) return
  throw new StoreError(
    'INVALID_CONFIG',
    `${path} is on a network file system (${network}), where SQLite cannot keep processes apart. Put it on a local disk.`,
    { file: path },
  )
}

function fileSystemOf(path: string): number | undefined {
  for (let place = path; ; place = dirname(place)) {
    try {
      return statfsSync(place).type
    } catch {
      if (place === dirname(place)) return undefined
    }
  }
}
