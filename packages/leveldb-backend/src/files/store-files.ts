import { listFiles, logName } from '@turnlog/leveldb-files'
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
  const linkedLogs = files.others
    .map((name) => /^turnlog\.kept-(\d+)\.log$/.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
    .sort((a, b) => a - b)
  const foreign = files.others.filter((name) => !OWN.test(name))
  return { ...files, hasWatermark: files.others.includes(WATERMARK_FILE), linkedLogs, foreign }
}

/** The second name of a log. */
export function linkName(number: number): string {
  return `turnlog.kept-${logName(number)}`
}
