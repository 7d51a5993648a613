import type { Backend } from '@turnlog/core/backend'

import type { Case, Claim, Facility } from './context/case.ts'
import type { Harness, Target } from './context/target.ts'

/** What the suite knows of a target before it runs a case. */
export interface Profile {
  readonly claims: ReadonlySet<Claim>
  readonly facilities: ReadonlySet<Facility>
}

/**
 * `not-applicable`: the backend does not promise this. `unproven`: it does, but the target gives no means to test it,
 * which for a `must` is as bad as a failure.
 */
export type Applicability =
  | { readonly kind: 'applicable' }
  | { readonly kind: 'not-applicable' | 'unproven'; readonly reason: string }

const FACILITIES: Readonly<Record<Facility, string>> = {
  second: 'the harness has no second()',
  files: 'the harness has no files()',
  module: 'the target has no module',
  signals: 'this platform cannot stop a process and let it go on',
}

export function profileOf(target: Target, harness: Harness): Profile {
  const facilities = new Set<Facility>()
  if (harness.second !== undefined) facilities.add('second')
  if (harness.files !== undefined) facilities.add('files')
  if (target.module !== undefined) facilities.add('module')
  if (process.platform !== 'win32') facilities.add('signals')
  return { claims: claimsOf(harness.backend), facilities }
}

export function applicability(testCase: Case, { claims, facilities }: Profile): Applicability {
  for (const claim of testCase.unless ?? []) {
    if (claims.has(claim)) return { kind: 'not-applicable', reason: `the backend says ${claim}` }
  }
  const missing: Facility[] = []
  for (const need of testCase.requires ?? []) {
    if (isFacility(need)) {
      if (!facilities.has(need)) missing.push(need)
    } else if (!claims.has(need)) {
      return { kind: 'not-applicable', reason: `the backend does not say ${need}` }
    }
  }
  const [first] = missing
  if (first === undefined) return { kind: 'applicable' }
  // A store without files of its own (a server) owes no proof about files, unless it says that it detects damage.
  const owed = first === 'files' ? claims.has('detectsDamage') : first !== 'signals' && claims.has('persistent')
  return { kind: owed ? 'unproven' : 'not-applicable', reason: FACILITIES[first] }
}

function claimsOf(backend: Backend): Set<Claim> {
  const { capabilities, maintenance } = backend
  const claims = new Set<Claim>()
  if (capabilities.persistent) claims.add('persistent')
  if (capabilities.durability !== 'none') claims.add('durable')
  if (capabilities.access === 'shared') claims.add('shared')
  if (capabilities.concurrentReaders) claims.add('concurrentReaders')
  if (capabilities.concurrentReaders || capabilities.access === 'shared') claims.add('outsideReaders')
  if (capabilities.detectsDamage) claims.add('detectsDamage')
  if (maintenance !== undefined) claims.add('maintenance')
  if (backend.wake !== undefined) claims.add('wake')
  return claims
}

function isFacility(need: Claim | Facility): need is Facility {
  return need in FACILITIES
}
