import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fuzzRuns, mutatedBytes, mutatedText, SECRET, tellsSecret } from '@turnlog/conformance/fuzz'
import { isStoreError } from '@turnlog/core/backend'
import type { EventRecord } from '@turnlog/core/backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { assert, asyncProperty, property } from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'

import { decodeFileName, encodeFileName } from '../src/format/file-name.ts'
import { parseHeader } from '../src/format/header.ts'
import { frameLine } from '../src/format/line.ts'

const { numRuns, timeoutMs } = fuzzRuns()
const files = fuzzRuns(0.1)

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-jsonl-fuzz-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** What a backend gives of the session, or the refusal. */
async function readSession(directory: string): Promise<{ texts: readonly string[]; hasFindings: boolean }> {
  const backend = jsonlBackend({ path: directory, durability: 'os' })
  const { findings } = await backend.open()
  try {
    const texts: string[] = []
    for await (const batch of backend.read('fuzzed', [{ from: 1, to: Number.MAX_SAFE_INTEGER }])) {
      for (const event of batch) texts.push(JSON.stringify(event))
    }
    return { texts, hasFindings: findings.length > 0 }
  } finally {
    await backend.close()
  }
}

function event(seq: number): EventRecord {
  const message = { role: 'user', content: `${SECRET} ${seq}` }
  return { seq, id: `id${seq}`, type: 'MessageAdded', v: 1, at: seq, message }
}

async function writeSession(directory: string): Promise<Buffer> {
  const backend = jsonlBackend({ path: directory, durability: 'os' })
  await backend.open()
  for (let seq = 1; seq < 9; seq += 2) {
    const events = [event(seq), event(seq + 1)]
    await backend.append('fuzzed', { last: seq - 1, incarnation: 'incarnation' }, events, { last: seq + 1 })
  }
  await backend.close()
  return readFileSync(join(directory, 'fuzzed.jsonl'))
}

test(
  'any bytes are a line and a header or are refused',
  async () => {
    const bytes = await writeSession(temporaryDirectory())
    const lines = bytes.toString('latin1').split('\n').slice(0, -1)
    assert(
      property(mutatedBytes(lines.map((line) => Buffer.from(line, 'latin1'))), (line) => {
        frameLine(line, 0, line.length)
        try {
          parseHeader(line, 'fuzzed.jsonl')
        } catch (error) {
          expect(isStoreError(error, 'UNSUPPORTED')).toBe(true)
        }
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'no session has two file names',
  () => {
    assert(
      property(mutatedText(['telegram%3A42.jsonl', 'a%2Fb.jsonl']), (name) => {
        const decoded = decodeFileName(name)
        if (typeof decoded === 'object') expect(encodeFileName(decoded.session)).toBe(name)
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'a changed file gives its beginning, whole or with a finding, or a refusal that tells nothing',
  async () => {
    const source = temporaryDirectory()
    const bytes = await writeSession(source)
    const { texts: whole } = await readSession(source)
    await assert(
      asyncProperty(mutatedBytes([bytes]), async (changed) => {
        const directory = temporaryDirectory()
        writeFileSync(join(directory, 'fuzzed.jsonl'), changed)
        try {
          const { texts, hasFindings } = await readSession(directory)
          expect(texts).toEqual(whole.slice(0, texts.length))
          // A file that ends between two appends is a whole, shorter file, and this directory never knew a longer one.
          const isCut = bytes.subarray(0, changed.length).equals(changed)
          expect(texts.length === whole.length || hasFindings || isCut).toBe(true)
        } catch (error) {
          if (!isStoreError(error)) throw error
          expect(['CORRUPT', 'UNSUPPORTED']).toContain(error.code)
          expect(tellsSecret(error)).toBe(false)
        } finally {
          rmSync(directory, { recursive: true, force: true })
        }
      }),
      { numRuns: files.numRuns },
    )
  },
  files.timeoutMs,
)
