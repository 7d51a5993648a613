import { linkedLogsOf, listFiles } from '@turnlog/leveldb-files'
import type { LevelFiles } from '@turnlog/leveldb-files'

import { WATERMARK_FILE } from './store-place.ts'

/** The files in the directory of a store, by kind: LevelDB's, Turnlog's, and what belongs to neither. */
export interface StoreFiles extends LevelFiles {
  readonly hasWatermark: boolean
  /** The numbers of the logs that have a second name, ascending. See `linkLogs`. */
  readonly linkedLogs: readonly number[]
  readonly foreign: readonly string[]
}

export const SET_ASIDE = 'set-aside'
const OWN =
  /^(?:turnlog\.(?:anchor|probe|tables|kept-\d+\.log|lock(?:\..*)?)|set-aside|LOCK|LOG|LOG\.old|lost\+found|\.DS_Store)$/

export function listStoreFiles(directory: string): StoreFiles {
  const files = listFiles(directory)
  const foreign = files.others.filter((name) => !OWN.test(name))
  const hasWatermark = files.others.includes(WATERMARK_FILE)
  return { ...files, hasWatermark, linkedLogs: linkedLogsOf(files.others), foreign }
}
