import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { readAll, temporaryDirectory } from './sample-store.ts'

const CYCLES = process.env['TURNLOG_THOROUGH'] === '1' ? 500 : 4

test.each(['sync', 'os'] as const)(
  'a process killed while it appends loses nothing that was acknowledged, and every append is whole (%s)',
  { timeout: 1_800_000 },
  async (durability) => {
    const path = temporaryDirectory()
    const acknowledged = new Map<string, number>()
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'append-child.mjs'), path, durability], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      // After another number of appends each time, so that seals, rotations and trims are hit as well.
      let left = 20 + ((cycle * 137) % 300)
      for await (const line of createInterface({ input: child.stdout })) {
        const [session = '', last = ''] = line.split(' ')
        acknowledged.set(session, Number(last))
        left--
        if (left === 0) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      const backend = leveldbBackend({ path, durability })
      const { findings } = await backend.open()
      expect(findings.filter(({ kind }) => kind === 'lost-tail')).toEqual([])
      for (const [session, last] of acknowledged) {
        const events = await readAll(backend, session)
        const head = await backend.head(session)
        expect(head?.last).toBeGreaterThanOrEqual(last)
        expect(events.at(-1)?.seq).toBe(head?.last)
        expect(((head?.last ?? 0) - 0) % 3).toBe(0) // appended by threes
      }
      expect((await backend.maintenance?.verify())?.problems).toEqual([])
      await backend.close()
    }
  },
)
