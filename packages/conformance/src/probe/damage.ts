import assert from 'node:assert/strict'
import { cp, readFile, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { inspect } from 'node:util'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend, EventRecord, Head, OpenFinding, SessionHead } from '@turnlog/core/backend'

import type { CaseContext } from '../context/case.ts'
import type { Harness } from '../context/target.ts'
import { listAll, readAll } from './collect.ts'
import { ExpectedSession } from './expected-session.ts'

export interface ImageFile {
  /** Relative to the harness's directory. */
  readonly path: string
  readonly size: number
  /** Its sizes after each append, oldest first: where a record of this file ends, if it only grows. */
  readonly ends: readonly number[]
  /** Whether the very last append changed it. */
  readonly isLatest: boolean
  /** Keys of the sessions whose appends changed it. */
  readonly sessions: ReadonlySet<string>
}

/** A closed store, to be copied and damaged again and again. */
export interface Image {
  readonly files: readonly ImageFile[]
  readonly sessions: readonly { readonly key: string; readonly states: readonly State[] }[]
}

/** Without `bytes`, which may be rough. */
export type FoundHead = Omit<Head, 'bytes'>

/** A session after some of its appends: none of them, one, up to all. */
export interface State {
  readonly head: FoundHead | undefined
  readonly events: readonly EventRecord[]
}

/** What a damaged copy says of one session. `listed` is missing where the list itself was refused. */
export type Outcome = { readonly listed?: { readonly head: FoundHead | undefined } } & (
  | { readonly kind: 'error'; readonly code: string; readonly said: string }
  | ({ readonly kind: 'state' } & State)
)

export interface Examination {
  readonly findings: readonly OpenFinding[]
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** Everything that a person would see of it: errors with their causes, and findings. */
  readonly said: string
}

/** Damage is an answer only as one of these; a newer format is told from a damaged one by its number alone. */
const HONEST = new Set<string>(['CORRUPT', 'UNSUPPORTED'])

export async function buildImage({ backend, harness, directory, random }: CaseContext): Promise<Image> {
  const sessions = ['first', 'second', 'third'].map((key) => ({
    expected: new ExpectedSession(random, key),
    states: [{ head: undefined, events: [] }] as State[],
  }))
  const history = new Map<string, { ends: number[]; sessions: Set<string>; seen: string; changedBy: number }>()
  let appends = 0
  // The last two batches are short, so that a cut at every byte of them stays affordable.
  for (const size of [4, 2, 1, 2]) {
    for (const { expected, states } of sessions) {
      await expected.grow(backend, size, {
        fields: { message: random.word(24) },
        projection: { size, text: random.word(24) },
      })
      const { first, last, incarnation, projection, events } = expected
      states.push({ head: { first, last, incarnation, projection }, events })
      appends++
      for (const [path, content] of await snapshot(harness, directory)) {
        const known = history.get(path) ?? { ends: [], sessions: new Set<string>(), seen: '', changedBy: 0 }
        if (known.seen !== content.toString('base64')) {
          known.ends.push(content.length)
          known.sessions.add(expected.key)
          history.set(path, { ...known, seen: content.toString('base64'), changedBy: appends })
        }
      }
    }
  }
  await backend.close()
  const files: ImageFile[] = []
  for (const [path, content] of await snapshot(harness, directory)) {
    const known = history.get(path)
    files.push({
      path,
      size: content.length,
      ends: known?.ends ?? [],
      isLatest: known?.changedBy === appends,
      sessions: known?.sessions ?? new Set(),
    })
  }
  assert.ok(
    files.some(({ size }) => size > 0),
    'files() names the files that hold data',
  )
  return { files, sessions: sessions.map(({ expected: { key }, states }) => ({ key, states })) }
}

/** Copies the image, damages the copy, opens it and looks at every session. */
export async function examineDamaged(
  context: CaseContext,
  image: Image,
  damage: (pathInCopy: (path: string) => string) => Promise<void>,
  afterwards?: (backend: Backend, reopen: () => Promise<Backend>) => Promise<void>,
): Promise<Examination> {
  const copy = join(context.root, 'copy')
  await cp(context.directory, copy, { recursive: true })
  await damage((path) => join(copy, path))
  const harness = await context.target.create({ directory: copy, seed: context.seed })
  try {
    const examination = await examine(harness.backend, image, context.capabilities.detectsDamage)
    await afterwards?.(harness.backend, () => harness.reopen())
    return examination
  } finally {
    await harness.destroy()
    await rm(copy, { recursive: true, force: true })
  }
}

async function examine(backend: Backend, image: Image, isPromised: boolean): Promise<Examination> {
  const outcomes = new Map<string, Outcome>()
  let findings: readonly OpenFinding[] = []
  try {
    findings = (await backend.open()).findings
  } catch (error) {
    for (const { key } of image.sessions) outcomes.set(key, honest(error, isPromised))
    return asExamination(findings, outcomes)
  }
  let heads: readonly SessionHead[] | undefined
  try {
    heads = await listAll(backend)
  } catch (error) {
    honest(error, isPromised) // whoever lists is told; sessions that are whole may still be read
  }
  for (const { key } of image.sessions) {
    const listed = heads && { listed: { head: withoutBytes(heads.find(({ session }) => session === key)) } }
    try {
      const head = withoutBytes(await backend.head(key))
      const events = await readAll(backend, key)
      if (isPromised)
        assert.equal(head?.last ?? 0, events.at(-1)?.seq ?? 0, `head and read disagree about the end of ${key}`)
      outcomes.set(key, { kind: 'state', head, events, ...listed })
    } catch (error) {
      outcomes.set(key, { ...honest(error, isPromised), ...listed })
    }
  }
  return asExamination(findings, outcomes)
}

function withoutBytes(head: Head | undefined): FoundHead | undefined {
  if (head === undefined) return undefined
  const { first, last, incarnation, projection } = head
  return { first, last, incarnation, projection }
}

function asExamination(findings: readonly OpenFinding[], outcomes: ReadonlyMap<string, Outcome>): Examination {
  const said = [...outcomes.values()].map((outcome) => (outcome.kind === 'error' ? outcome.said : ''))
  return { findings, outcomes, said: [...said, inspect(findings)].join('\n') }
}

/** An error is an answer: one that names the damage where that is promised, any StoreError where it is not. */
function honest(error: unknown, isPromised: boolean): Outcome {
  if (isStoreError(error) && (!isPromised || HONEST.has(error.code)))
    return { kind: 'error', code: error.code, said: inspect(error) }
  throw error
}

async function snapshot(harness: Harness, directory: string): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>()
  for (const file of (await harness.files?.()) ?? []) {
    if ((await stat(file)).isFile()) contents.set(relative(directory, file), await readFile(file))
  }
  return contents
}
