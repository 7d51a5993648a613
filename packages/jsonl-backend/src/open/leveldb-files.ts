/** One of them is in every directory of LevelDB, also where it was copied only in part. */
export const LEVELDB_FILES = ['CURRENT', 'turnlog.anchor'] as const
