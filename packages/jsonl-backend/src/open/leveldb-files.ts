/** Every directory of LevelDB has one of them, even if it was copied only in part. */
export const LEVELDB_FILES = ['CURRENT', 'turnlog.anchor'] as const
