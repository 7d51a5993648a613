import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private directory in which a test plays the old store. */
export class LegacyDirectory implements AsyncDisposable {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<LegacyDirectory> {
    return new LegacyDirectory(await mkdtemp(join(tmpdir(), 'turnlog-legacy-')))
  }

  snapshot(name: string, fields: object): Promise<void> {
    return this.write(name, JSON.stringify({ created: CREATED, updated: UPDATED, ...fields }, undefined, 2))
  }

  async log(stem: string, meta: object, lines: readonly (object | string)[]): Promise<void> {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
    await this.write(`${stem}.jsonl`, `${text}\n`)
    await this.meta(stem, meta)
  }

  meta(stem: string, meta: object): Promise<void> {
    return this.write(`${stem}.meta.json`, JSON.stringify({ created_at: CREATED, updated_at: UPDATED, ...meta }))
  }

  write(name: string, contents: string | Uint8Array): Promise<void> {
    return writeFile(join(this.path, name), contents)
  }

  read(name: string): Promise<string> {
    return readFile(join(this.path, name), 'utf8')
  }

  async names(): Promise<string[]> {
    return (await readdir(this.path)).sort()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.path, { recursive: true, force: true })
  }
}

/** As Go writes times. */
export const CREATED = '2026-01-02T03:04:05.123456789+01:00'
export const UPDATED = '2026-02-03T04:05:06Z'
export const CREATED_MS = Date.UTC(2026, 0, 2, 2, 4, 5, 123)
export const UPDATED_MS = Date.UTC(2026, 1, 3, 4, 5, 6)
