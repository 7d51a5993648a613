import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './run-child.ts'

/** What one way of keeping a conversation was told, and what it still had. */
export interface CrashResult {
  readonly name: string
  readonly acknowledged: number
  readonly found: number
  readonly why: string
}

const MESSAGES = 40

/** One JSON file, written anew for each message. */
export async function crashRewrittenFile(directory: string): Promise<CrashResult> {
  const file = join(directory, 'history.json')
  const { acknowledged } = await runChild('rewritten-file-child', [file, String(MESSAGES)])
  return {
    name: 'JSON file, rewritten',
    acknowledged: acknowledged.length,
    found: readRewritten(file),
    why: 'half of the file is there; no JSON parser takes it',
  }
}

/** JSON lines with a metadata file, killed in the middle of a line and then used again, as an agent would. */
export async function crashAppendedFile(directory: string): Promise<CrashResult> {
  const file = join(directory, 'history.jsonl')
  const before = await runChild('appended-file-child', [file, '1', String(MESSAGES), 'killed'])
  const next = String(MESSAGES + 2)
  const after = await runChild('appended-file-child', [file, next, next])
  const { count } = JSON.parse(readFileSync(`${file}.meta`, 'utf8')) as { readonly count: number }
  const found = readFileSync(file, 'utf8').split('\n').filter(isMessage).length
  return {
    name: 'JSONL + metadata',
    acknowledged: before.acknowledged.length + after.acknowledged.length,
    found,
    why: `the next message was glued to the torn line; metadata says ${count}`,
  }
}

function readRewritten(file: string): number {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly messages: readonly unknown[] }).messages.length
  } catch {
    return 0 // not JSON any more: this is what is shown
  }
}

function isMessage(line: string): boolean {
  try {
    return typeof (JSON.parse(line) as { readonly role?: unknown }).role === 'string'
  } catch {
    return false // a torn line, skipped as such readers do
  }
}
