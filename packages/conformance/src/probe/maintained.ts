import assert from 'node:assert/strict'
import { open, readFile } from 'node:fs/promises'

import type { Backend, Maintenance } from '@turnlog/core/backend'

import type { CaseContext } from '../context/case.ts'
import { ExpectedSession } from './expected-session.ts'

/** What overwrites a part of a file, long enough to be found again in a copy of it. */
export const DAMAGE = '#damage#'

export function maintenanceOf({ maintenance }: Backend): Maintenance {
  assert.ok(maintenance !== undefined)
  return maintenance
}

export async function fill(backend: Backend, random: CaseContext['random']): Promise<ExpectedSession[]> {
  const sessions = Array.from({ length: 4 }, () => new ExpectedSession(random))
  for (const session of sessions) {
    await session.grow(backend, 10)
    await session.grow(backend, 3, { trimBefore: random.integer(1, 5) })
  }
  return sessions
}

/** Overwrites some bytes in the middle of a file, or behind it where the middle is empty space. */
export async function damage(path: string): Promise<void> {
  const bytes = await readFile(path)
  let at = Math.floor(bytes.length / 2)
  while (at + DAMAGE.length < bytes.length && bytes.subarray(at, at + DAMAGE.length).every((byte) => byte === 0)) {
    at += DAMAGE.length
  }
  const file = await open(path, 'r+')
  try {
    await file.write(Buffer.from(DAMAGE), 0, DAMAGE.length, at)
  } finally {
    await file.close()
  }
}
