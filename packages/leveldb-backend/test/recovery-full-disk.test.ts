import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { readAll, temporaryDirectory } from './sample-store.ts'

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

/** A limit on the size of files makes writes fail as a full disk does, without the rights to make a small disk. */
test.skipIf(!hasPrlimit)(
  'after writes that failed nothing acknowledged is lost, reads go on, and appends work again (needs prlimit)',
  { timeout: 120_000 },
  async () => {
    const path = temporaryDirectory()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'full-disk-child.mjs'), path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const said: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line)
      const limit = line === 'ready' ? '200000' : line === 'failing' ? 'unlimited' : undefined
      if (limit === undefined) continue
      await promisify(execFile)('prlimit', [`--pid=${child.pid}`, `--fsize=${limit}:unlimited`])
      child.stdin.write('go\n')
    }
    if (child.exitCode === null) await once(child, 'exit')
    const report = JSON.parse(said.at(-1) ?? '{}') as { last: number; codes: string[]; readsWhileFailing: boolean[] }
    expect(report.codes).toEqual(['IO'])
    expect(report.readsWhileFailing).toEqual(Array.from({ length: 20 }, () => true))
    const backend = leveldbBackend({ path })
    await backend.open()
    expect((await readAll(backend, 'a')).map(({ seq }) => seq)).toEqual(
      Array.from({ length: report.last }, (_, index) => index + 1),
    )
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
    await backend.close()
  },
)
