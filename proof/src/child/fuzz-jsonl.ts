import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openStore } from '@turnlog/core'
import { jsonlBackend } from '@turnlog/jsonl-backend'

import type { FuzzTarget } from './fuzz-target.ts'
import { SECRET } from './fuzz-target.ts'
import { mutateBytes, mutateText } from './mutate.ts'
import { imageOf } from './store-image.ts'

interface Names {
  encodeFileName(session: string): string
  decodeFileName(name: string): { readonly session: string } | 'hashed' | undefined
}
interface Header {
  parseHeader(line: Buffer, file: string): unknown
}
interface Line {
  frameLine(buffer: Buffer, start: number, end: number): unknown
}

export async function jsonlTargets(): Promise<readonly FuzzTarget[]> {
  const main = import.meta.resolve('@turnlog/jsonl-backend')
  const names = (await import(new URL('./format/file-name.js', main).href)) as Names
  const header = (await import(new URL('./format/header.js', main).href)) as Header
  const line = (await import(new URL('./format/line.js', main).href)) as Line
  const { bytes, image } = await makeFile()
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .slice(0, -1)
    .map((text) => Buffer.from(text, 'latin1'))
  return [
    {
      name: 'jsonl line',
      weight: 12,
      feed: (random) => {
        const mutated = mutateBytes(random.pick(lines), random)
        line.frameLine(mutated, 0, mutated.length)
        header.parseHeader(mutated, 'fuzzed.jsonl')
        return undefined
      },
    },
    {
      name: 'jsonl file name',
      weight: 8,
      feed: (random) => {
        const name = mutateText('telegram%3A42.jsonl', random)
        const decoded = names.decodeFileName(name)
        if (typeof decoded !== 'object') return undefined
        // Two names for one session would be two truths about it.
        return names.encodeFileName(decoded.session) === name ? undefined : `${JSON.stringify(name)} is a second name`
      },
    },
    {
      name: 'jsonl file',
      weight: 1,
      feed: async (random) => {
        const mutated = mutateBytes(bytes, random)
        const directory = mkdtempSync(join(tmpdir(), 'turnlog-proof-fuzz-'))
        try {
          writeFileSync(join(directory, 'fuzzed.jsonl'), mutated)
          const backend = jsonlBackend({ path: directory, durability: 'os' })
          const { findings } = await backend.open()
          const found = await imageOf(backend, ['fuzzed'])
          await backend.close()
          const [refusal] = found.refusals
          if (refusal !== undefined)
            return refusal.code === 'CORRUPT' || refusal.code === 'UNSUPPORTED' ? undefined : refusal.message
          const events = found.sessions.get('fuzzed')?.events ?? []
          const isBeginning = events.every((event, index) => event === image[index])
          const isWhole = events.length === image.length
          // A file that ends between two appends is a whole, shorter file, and this directory never knew a longer one.
          const mayBeShort = findings.length > 0 || bytes.subarray(0, mutated.length).equals(mutated)
          return isBeginning && (isWhole || mayBeShort)
            ? undefined
            : `${events.length} of ${image.length} events, or others`
        } finally {
          rmSync(directory, { recursive: true, force: true })
        }
      },
    },
  ]
}

async function makeFile(): Promise<{ readonly bytes: Buffer; readonly image: readonly string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-proof-fuzz-'))
  mkdirSync(directory, { recursive: true })
  const store = await openStore({ backend: jsonlBackend({ path: directory }) })
  for (let n = 0; n < 4; n++)
    await store.addMessages('fuzzed', [{ role: 'user', content: `${SECRET} ${n}` }, { role: 'user' }])
  await store.close()
  const file = readdirSync(directory).find((name) => name.endsWith('.jsonl')) ?? ''
  const bytes = readFileSync(join(directory, file))
  const backend = jsonlBackend({ path: directory })
  await backend.open()
  const image = (await imageOf(backend)).sessions.get('fuzzed')?.events ?? []
  await backend.close()
  rmSync(directory, { recursive: true, force: true })
  return { bytes, image }
}
