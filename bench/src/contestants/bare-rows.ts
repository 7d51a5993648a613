import { join } from 'node:path'

import { ClassicLevel } from 'classic-level'
import { pack, unpack } from 'msgpackr'

import type { Contestant } from './contestant.ts'

/** Rows per step of the iterator, as in Turnlog's backend. */
const ROWS = 1000

/** One row per session and nothing else: what listing costs when LevelDB is all there is to pay for. */
export const bareRows: Contestant = {
  id: 'bare-rows',
  label: 'bare classic-level, one row per session',
  durability: 'os',
  note: 'holds no messages',
  open: async (directory) => {
    const level = new ClassicLevel<string, Buffer>(join(directory, 'level'), { valueEncoding: 'buffer' })
    await level.open()
    return {
      append: (session) =>
        level.put(session, pack({ messages: 1, metadata: {}, createdAt: Date.now(), updatedAt: Date.now() })),
      describe: (session, metadata) =>
        level.put(session, pack({ messages: 1, metadata, createdAt: Date.now(), updatedAt: Date.now() })),
      read: () => Promise.resolve([]),
      list: async () => {
        let count = 0
        const iterator = level.iterator({ highWaterMarkBytes: 1024 * 1024 } as object)
        for (;;) {
          const rows = await iterator.nextv(ROWS)
          if (rows.length === 0) break
          for (const [, value] of rows) if (unpack(value) !== undefined) count++
        }
        await iterator.close()
        return count
      },
      close: () => level.close(),
    }
  },
}
