import { createHash } from 'node:crypto'
import { linkSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import { parseLock } from '@turnlog/storage-kit'
import type { LockRecord } from '@turnlog/storage-kit'

export const LOCK_FILE = 'turnlog.lock'

export interface Found {
  readonly file: string
  /** What follows it is named after this. Of a file that cannot be understood it is made from what is in it. */
  readonly claim: string
  /** `undefined` if it cannot be understood. */
  readonly record: LockRecord | undefined
}

/** The claim that counts: `turnlog.lock` names one, and `turnlog.lock.<claim>` is the one that follows it. */
export function lastClaim(directory: string): Found | undefined {
  let file = join(directory, LOCK_FILE)
  let found: Found | undefined
  for (;;) {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return found
      throw new StoreError('IO', `Cannot read the lock file ${file}. See the cause.`, { file, cause: error })
    }
    const record = parseLock(text)
    found = { file, record, claim: record?.claim ?? claimOfText(file, text) }
    file = `${join(directory, LOCK_FILE)}.${found.claim}`
  }
}

/**
 * Puts a claim behind the last one, unless `refuseUnlessDead` throws because its owner may live.
 *
 * @returns the name that it has there
 */
export async function linkClaim(
  directory: string,
  claim: string,
  draft: string,
  refuseUnlessDead: (found: Found) => Promise<void>,
): Promise<string> {
  const file = join(directory, LOCK_FILE)
  for (;;) {
    const found = lastClaim(directory)
    if (found !== undefined) await refuseUnlessDead(found)
    const place = found === undefined ? file : `${file}.${found.claim}`
    if (!tryLink(draft, place)) continue
    if (lastClaim(directory)?.claim === claim) return place
    rmSync(place, { force: true }) // the claim that it follows had been replaced in the meantime
  }
}

export function withdrawClaim(directory: string, claim: string): void {
  const found = lastClaim(directory)
  if (found?.claim === claim) rmSync(found.file, { force: true })
}

/** With the name in it: if what follows cannot be understood either, it shall not follow itself. */
function claimOfText(file: string, text: string): string {
  return createHash('sha256')
    .update(`${basename(file)}\n${text}`)
    .digest('hex')
    .slice(0, 16)
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
