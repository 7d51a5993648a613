import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import type { Random } from '@turnlog/conformance/random'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import { SHAPES } from '../child/damage-shape.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { Damage } from '../damage.ts'
import { describeDamage } from '../damage.ts'
import type { Child, Ended } from '../machine/start-child.ts'
import { startChild } from '../machine/start-child.ts'

/** An opening that takes longer hangs. */
const HANG_MS = 20_000

/** Every bit, every length, every file of several small stores. */
export const damage: Campaign = {
  name: 'damage',
  title: 'Stores damaged in every place: bits flipped, files cut, deleted, replaced by older copies',
  async run(context) {
    return Promise.all(context.backends.map((backend) => damageBackend(context, backend)))
  },
}

async function damageBackend(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const directory = context.directory({ inMemory: true })
  const violations: string[] = []
  const verdicts = new Map<string, number>()
  const shapes = SHAPES[backend]
  let attempts = 0
  for (const shape of shapes) {
    const path = join(directory, `${backend}-${shape}`)
    const place = { backend, shape, path, olderPath: `${path}-older` }
    const built = await startChild('damage', { mode: 'build', ...place }).ended
    if (built.code !== 0 && built.signal !== 'SIGKILL') {
      violations.push(`${backend}, ${shape}: the undamaged store cannot be built: ${built.errorText}`)
      continue
    }
    const most = context.attempts(900, 51_000) / shapes.length
    const damages = sample(listDamages(path, place.olderPath), most, context.random)
    writeFileSync(`${path}.damages`, JSON.stringify(damages))
    const files = { damages: `${path}.damages`, progress: `${path}.progress`, results: `${path}.results` }
    let from = 0
    while (from < damages.length) {
      const task = { mode: 'judge', ...place, work: `${path}-work`, ...files, from }
      const death = await watch(startChild('damage', task), files.progress)
      if (death === undefined) break
      const at = Number(readIfThere(files.progress).trim() || from)
      const damaged = damages[at]
      violations.push(
        damaged === undefined
          ? `${backend}, ${shape}: ${death}`
          : `${backend}, ${shape}: ${describeDamage(damaged)}: ${death}`,
      )
      from = at + 1
    }
    attempts += damages.length
    for (const line of readIfThere(files.results).split('\n').slice(0, -1)) {
      const [, index = '', verdict = ''] = /^(\d+) (.*)$/.exec(line) ?? []
      const kind = verdict.split(/[ :]/)[0] ?? ''
      verdicts.set(kind, (verdicts.get(kind) ?? 0) + 1)
      const damaged = damages[Number(index)]
      if (kind === 'WRONG' && damaged !== undefined) {
        violations.push(`${backend}, ${shape}: ${describeDamage(damaged)}: ${verdict}`)
      }
    }
    context.progress(`${backend}, ${shape}: ${damages.length} damages, ${violations.length} violations so far`)
  }
  return {
    campaign: 'damage',
    backend,
    promise:
      'Damaged storage gives the same events, a typed refusal or a reported torn tail, and never ends the process',
    attempts,
    unit: 'damages',
    violations,
    note: [...verdicts].map(([kind, count]) => `${count} ${kind}`).join(', '),
  }
}

function listDamages(path: string, olderPath: string): Damage[] {
  const damages: Damage[] = []
  for (const file of filesOf(path)) {
    const bytes = statSync(join(path, file)).size
    damages.push({ kind: 'delete', file })
    for (let at = 0; at < bytes; at++) {
      damages.push({ kind: 'cut', file, at })
      for (let bit = 0; bit < 8; bit++) damages.push({ kind: 'flip', file, at, bit })
    }
    const older = join(olderPath, file)
    if (existsSync(older) && !readFileSync(older).equals(readFileSync(join(path, file)))) {
      damages.push({ kind: 'older', file })
    }
  }
  return damages
}

/** Whole files always, single bits and bytes as many as there is time for, spread over all of them. */
function sample(damages: readonly Damage[], most: number, random: Random): readonly Damage[] {
  if (damages.length <= most) return damages
  const share = most / damages.length
  return damages.filter(({ kind }) => kind === 'delete' || kind === 'older' || random.chance(share))
}

/** @returns how it died, if it did */
async function watch(child: Child, progress: string): Promise<string | undefined> {
  let last = ''
  let since = Date.now()
  let isHanging = false
  let end: Ended | undefined
  while (end === undefined) {
    end = await Promise.race([child.ended, delay(500, undefined)])
    const now = readIfThere(progress)
    if (now !== last) since = Date.now()
    last = now
    if (Date.now() - since > HANG_MS && end === undefined) {
      isHanging = true
      child.process.kill('SIGKILL')
    }
  }
  const { code, signal, errorText } = end
  if (code === 0) return undefined
  if (isHanging) return `the opening hung for ${HANG_MS / 1000} s`
  return `the process ended with ${signal ?? `code ${code}`}: ${errorText.slice(0, 500)}`
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .sort()
}
