import { bareLevel } from './bare-level.ts'
import type { Contestant } from './contestant.ts'
import { fullRewrite } from './full-rewrite.ts'
import { langgraphFull } from './langgraph.ts'
import { lmdbSync } from './lmdb.ts'
import { metadataRewrite } from './metadata-rewrite.ts'
import { rawBlocking, rawOneHop } from './raw-write.ts'
import { sharedLog } from './shared-log.ts'
import { sqliteFull, sqliteGrouped } from './sqlite.ts'
import { turnlogJsonl, turnlogLeveldb, turnlogSqlite } from './turnlog.ts'

/** All that say that an acknowledged message survives a power failure. */
export const syncContestants: readonly Contestant[] = [
  turnlogLeveldb('sync'),
  turnlogJsonl('sync'),
  turnlogSqlite('sync'),
  rawOneHop,
  rawBlocking,
  sharedLog,
  bareLevel('sync'),
  sqliteFull,
  sqliteGrouped,
  lmdbSync,
  metadataRewrite,
  fullRewrite('sync'),
  langgraphFull,
]
