import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openStream } from '../src/output/open-stream.ts'
import { runCommand, startCommand } from './run-command.ts'
import type { Sample } from './sample-store.ts'
import { sampleStore } from './sample-store.ts'
import { slowStore } from './slow-store.ts'

const isWindows = process.platform === 'win32'

function makeFifo(directory: string): string {
  const fifo = join(directory, 'fifo')
  execFileSync('mkfifo', [fifo])
  return fifo
}

/** What the store is exported as, whatever it is written to. */
async function exportOf({ env }: Sample): Promise<string> {
  return (await runCommand(['export'], { env })).stdout
}

test.skipIf(isWindows)('an export to a FIFO goes through it, also by a link, and it stays a FIFO', async () => {
  const sample = await sampleStore('jsonl')
  const fifo = makeFifo(sample.directory)
  const link = join(sample.directory, 'link')
  symlinkSync('fifo', link)
  for (const target of [fifo, link]) {
    const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'inherit'] })
    const read = text(reader.stdout)
    const result = await runCommand(['export', '-o', target], { env: sample.env })
    // Where the FIFO is the output itself, a line there would be one of the export.
    expect(result).toEqual({ code: 0, stdout: '', stderr: `Exported 2 sessions, 9 events to ${target}.\n` })
    expect(await read).toBe(await exportOf(sample))
  }
  expect([lstatSync(fifo).isFIFO(), readlinkSync(link)]).toEqual([true, 'fifo'])
  expect(readdirSync(sample.directory).toSorted()).toEqual(['fifo', 'link', 'store'])
})

test.skipIf(isWindows)('an export to a FIFO that nobody empties is interrupted all the same', async () => {
  const { directory } = await sampleStore('jsonl')
  const fifo = makeFifo(directory)
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
  const exporting = startCommand(['export', '-o', fifo, '--store', slowStore(directory)])
  await exporting.until(/waiting/)
  exporting.child.kill('SIGINT')
  expect(await exporting.finished).toMatchObject({ code: 130 })
  closeSync(reader)
})

test.skipIf(isWindows)('waiting for the reader of a FIFO ends with the signal', async () => {
  const { directory } = await sampleStore('jsonl')
  const interrupted = new AbortController()
  const opening = openStream(makeFifo(directory), true, interrupted.signal)
  interrupted.abort()
  await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
})

test.skipIf(isWindows)('a link stays a link, and the export is in the file that it leads to', async () => {
  const sample = await sampleStore('jsonl')
  const { directory, env } = sample
  const backups = join(directory, 'backups')
  mkdirSync(backups)
  writeFileSync(join(backups, 'there.jsonl'), 'earlier')
  for (const name of ['there.jsonl', 'new.jsonl']) {
    const link = join(directory, name)
    symlinkSync(`backups/${name}`, link)
    expect(await runCommand(['export', '-o', link], { env })).toMatchObject({ code: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(backups, name), 'utf8')).toBe(await exportOf(sample))
    expect(statSync(link).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(backups).toSorted()).toEqual(['new.jsonl', 'there.jsonl'])
})

test('an export into a directory is refused and leaves nothing in it', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const folder = join(directory, 'folder')
  mkdirSync(folder)
  const { code, stderr } = await runCommand(['export', '-o', folder], { env })
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`Cannot write ${folder}: EISDIR`) })
  expect([readdirSync(folder), readdirSync(directory).toSorted()]).toEqual([[], ['folder', 'store']])
})

test('two exports to the same file write beside each other, and a .part of the user stays as it is', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const file = join(directory, 'backup.jsonl')
  writeFileSync(`${file}.part`, 'of the user')
  const store = slowStore(directory)
  const exporting = [1, 2].map(() => startCommand(['export', '-o', file, '--store', store]))
  for (const each of exporting) await each.until(/waiting/)
  const parts = (): string[] => readdirSync(directory).filter((name) => /^backup\.jsonl\..+\.part$/.test(name))
  await expect.poll(parts).toHaveLength(2)
  if (!isWindows) for (const part of parts()) expect(statSync(join(directory, part)).mode & 0o777).toBe(0o600)
  expect(await runCommand(['export', '-o', file], { env })).toMatchObject({ code: 0 })
  for (const { child } of exporting) child.kill('SIGTERM')
  for (const { finished } of exporting) expect(await finished).toMatchObject({ code: 143 })
  expect(parts()).toEqual([])
  expect(readFileSync(`${file}.part`, 'utf8')).toBe('of the user')
  expect(readFileSync(file, 'utf8')).toContain('"end":{"sessions":2}')
})
