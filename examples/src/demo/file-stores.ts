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

/** One JSON file, replaced as a whole for each message, and a summariser that saves what it has read. */
export async function crashReplacedFile(directory: string): Promise<CrashResult> {
  const file = join(directory, 'history.json')
  const { acknowledged } = await runChild('replaced-file-child', [file, String(MESSAGES)])
  return {
    name: 'JSON, atomic rename',
    acknowledged: acknowledged.length,
    found: countKept(file),
    why: 'the file survived the kill; the summariser saved what it had read, without what came meanwhile',
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

/** Messages that are there, and those that a summary stands for. */
function countKept(file: string): number {
  const kept = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly summarised: number
    readonly messages: readonly unknown[]
  }
  return kept.summarised + kept.messages.length
}

function isMessage(line: string): boolean {
  try {
    return typeof (JSON.parse(line) as { readonly role?: unknown }).role === 'string'
  } catch {
    return false // a torn line, skipped as such readers do
  }
}
