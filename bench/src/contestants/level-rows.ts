import { ClassicLevel } from 'classic-level'

import { LEVEL_OPTIONS } from './bare-level.ts'
import type { Contestant, Keeper } from './contestant.ts'
import { turnlogLeveldb } from './turnlog.ts'

const HEAD = 0x02
const EVENTS = 0x03

/**
 * The limit of a cold read of the LevelDB backend: one iterator over the rows of a session in its own files, with or
 * without its head asked for at the same time. Nothing is checked or decoded.
 */
export function levelRows({ withHead }: { readonly withHead: boolean }): Contestant {
  const turnlog = turnlogLeveldb('sync')
  return {
    ...turnlog,
    id: withHead ? 'level-rows-and-head' : 'level-rows',
    label: `bare iterator over turnlog's rows${withHead ? ', and the head' : ''}`,
    note: 'nothing checked, nothing decoded',
    open: async (directory) => keeperOf(directory, await turnlog.open(directory), withHead),
  }
}

/** LevelDB lets one owner in: the store fills it, and makes room for a bare reader when that is asked for. */
function keeperOf(directory: string, store: Keeper, withHead: boolean): Keeper {
  let opening: Promise<ClassicLevel<Buffer, Buffer>> | undefined
  const openBare = async (): Promise<ClassicLevel<Buffer, Buffer>> => {
    await store.close()
    const level = new ClassicLevel<Buffer, Buffer>(directory, LEVEL_OPTIONS)
    await level.open()
    return level
  }
  return {
    ...store,
    touch: async (session) => {
      opening ??= openBare()
      const level = await opening
      const [rows] = await Promise.all([
        level.values(rangeOf(EVENTS, session)).all(),
        withHead ? level.values(rangeOf(HEAD, session)).all() : undefined,
      ])
      if (rows.length === 0) throw new Error(`There are no rows of ${session}.`)
    },
    close: async () => (opening === undefined ? store.close() : (await opening).close()),
  }
}

/** The end of a session's key is a zero byte: see docs/formats/leveldb-v1.md. */
function rangeOf(kind: number, session: string): { gte: Buffer; lt: Buffer; highWaterMarkBytes: number } {
  const name = Buffer.from(session)
  const bound = (end: number): Buffer => Buffer.concat([Buffer.of(kind), name, Buffer.of(end)])
  return { gte: bound(0), lt: bound(1), highWaterMarkBytes: 64 * 1024 * 1024 }
}
