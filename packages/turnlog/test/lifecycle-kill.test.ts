import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { runSeed, seeded } from '../../core/test/seeded.ts'
import type { BackendName } from './lifecycle-backends.ts'
import { inDirectory, openIn } from './lifecycle-backends.ts'

/** Over both backends; 200 is what is promised. */
const KILLS = Number(process.env['SWEEP_KILLS'] ?? 6)

const child = fileURLToPath(new URL('lifecycle-child.mjs', import.meta.url))

/** The numbers of the first and the last message of a view. */
type Ends = readonly [first: number, last: number]

/** Runs the child until it has killed itself. @returns everything that it said */
function runChild(args: readonly (string | number)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    running.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    running.on('error', reject)
    running.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(output)
      else reject(new Error(`The child ended with ${code ?? signal}: ${output.slice(-1000)}`))
    })
  })
}

/** What each session may hold: what was acknowledged, or what was on its way. */
function readClaims(output: string, claims: Map<string, Ends[]>): void {
  for (const line of output.split('\n')) {
    const [verb, key, first, last] = line.split(' ')
    if (key === undefined || last === undefined) continue
    const ends: Ends = [Number(first), Number(last)]
    if (verb === 'does') claims.set(key, [ends])
    else claims.set(key, [...(claims.get(key) ?? []), ends])
  }
}

test.each<BackendName>(['leveldb', 'jsonl'])(
  '%s: a process that dies at any step of a sweep leaves a store that verifies, with every live message',
  async (name) => {
    const seed = runSeed(`kills in sweeps on ${name}`)
    const random = seeded(seed)
    await inDirectory(async (path) => {
      const claims = new Map<string, Ends[]>()
      let messages = 0
      for (let kill = 0; kill < KILLS / 2; kill++) {
        const delayTenths = random.chance(0.5) ? 0 : 1 + random.below(40)
        readClaims(await runChild([name, path, seed + kill, 1 + random.below(60), delayTenths]), claims)
        const store = await openIn(name, path)
        expect(await store.verify()).toMatchObject({ ok: true, problems: [] })
        for (const [key, possible] of claims) {
          const numbers = (await store.getHistory(key)).map(({ number }) => number as number)
          messages += numbers.length
          const ends: Ends = [numbers[0] ?? 1, numbers.at(-1) ?? 0]
          expect(possible).toContainEqual(ends)
          expect(numbers).toEqual(Array.from(numbers, (_, i) => ends[0] + i))
          claims.set(key, [ends])
        }
        await store.close()
      }
      console.log(`${name}: ${KILLS / 2} kills, ${messages} live messages found`)
      expect(messages).toBeGreaterThan(0)
    })
  },
  600_000,
)
