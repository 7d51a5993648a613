import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { encodeBatch, encodeLog, parseLog, readLogRows } from '@turnlog/leveldb-files'
import type { BatchEntry } from '@turnlog/leveldb-files'
import { expect, test } from 'vitest'

import { temporaryDirectory } from './temporary-directory.ts'

const HEADER_BYTES = 7

/** A batch of two rows; the last one holds the number of the batch. */
function batch(number: number, key: string, value: Buffer): Buffer {
  return encodeBatch(number * 10, [
    { key: Buffer.from(key), value },
    { key: Buffer.from('number'), value: Buffer.from(String(number)) },
  ])
}

function numberOf(entries: readonly BatchEntry[]): number | undefined {
  const { key, value } = entries.at(-1) ?? {}
  return key?.toString() === 'number' ? Number(value) : undefined
}

function text(length: number): Buffer {
  return Buffer.from('text '.repeat(Math.ceil(length / 5)).slice(0, length))
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[bit >>> 3] = (copy[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

function rowsOf(bytes: Buffer, file = join(temporaryDirectory(), 'log')): readonly string[] {
  writeFileSync(file, bytes)
  return [...readLogRows(file, () => undefined, numberOf)]
    .map(({ key }) => key.toString())
    .filter((key) => key.startsWith('row'))
}

/**
 * A log whose second batch holds a message, and the message the bytes of a record: a batch with the number and the
 * sequence that would fit, at the place where one flipped bit in the length of its record leads to.
 */
function logWithForgery(after: readonly Buffer[]): {
  readonly log: Buffer
  readonly from: number
  readonly to: number
} {
  const first = encodeLog([batch(1, 'row 1', text(50))])
  const forged = encodeLog([batch(3, 'row forged', text(20))])
  const size = 700
  const length = batch(2, 'row 2', text(size)).length
  const message = text(size)
  const messageAt = batch(2, 'row 2', text(size)).indexOf('text')
  forged.copy(message, (length ^ 512) - messageAt)
  const log = encodeLog([batch(1, 'row 1', text(50)), batch(2, 'row 2', message), ...after])
  expect(log.indexOf(forged)).toBe(first.length + HEADER_BYTES + (length ^ 512))
  return { log, from: first.length, to: first.length + HEADER_BYTES + length }
}

test('bytes in a message that look like a record are not taken for one, whichever bit of its record is flipped', () => {
  const file = join(temporaryDirectory(), 'log')
  for (const after of [[], [batch(3, 'row 3', text(40)), batch(4, 'row 4', text(10))]]) {
    const { log, from, to } = logWithForgery(after)
    const others = ['row 1', ...after.map((_, index) => `row ${index + 3}`)]
    expect(rowsOf(log)).toEqual(['row 1', 'row 2', ...others.slice(1)])
    // Every bit of what has a meaning, and some of the message.
    for (let bit = from * 8; bit < to * 8; bit += bit < (from + 40) * 8 || bit > (to - 60) * 8 ? 1 : 13) {
      const damaged = flipped(log, bit)
      expect(parseLog(damaged).rest, `bit ${bit}`).toBe(after.length > 0 ? 'damaged' : 'torn')
      expect(rowsOf(damaged, file), `bit ${bit}`).toEqual(others)
    }
  }
})

test('bytes in a message that look like a record do not make damage of a write that was cut short', () => {
  const { log, from, to } = logWithForgery([])
  for (let length = from + 1; length < to; length++) {
    const cut = log.subarray(0, length)
    expect(parseLog(cut)).toMatchObject({ end: from, rest: 'torn' })
    const overZeros = Buffer.concat([cut, Buffer.alloc(70_000)])
    expect(parseLog(overZeros)).toMatchObject({ end: from, rest: 'torn' })
  }
})

test('behind damage only batches count that go on from those before it', () => {
  const batches = [1, 2, 3, 4].map((number) => batch(number, `row ${number}`, text(100)))
  const [one, two, three, four] = batches as [Buffer, Buffer, Buffer, Buffer]
  const start = encodeLog([one]).length
  const damaged = (...records: readonly Buffer[]): Buffer => flipped(encodeLog(records), (start + 30) * 8)
  expect(rowsOf(damaged(one, two, three, four))).toEqual(['row 1', 'row 3', 'row 4'])
  expect(rowsOf(damaged(one, two, one, three))).toEqual(['row 1', 'row 3'])
  expect(rowsOf(damaged(one, two, three.subarray(0, -1), four))).toEqual(['row 1', 'row 4'])
  const unnumbered = encodeBatch(30, [{ key: Buffer.from('row x'), value: text(5) }])
  expect(rowsOf(damaged(one, two, unnumbered, four))).toEqual(['row 1', 'row 4'])
})

test('damage before a whole record is told from a torn end, whichever bit it is, in records of any length', () => {
  const sizes = [100, 300, 40_000, 50, 32_000, 70_000, 700, 20]
  const records = sizes.map((size, index) => batch(index + 1, `row ${index + 1}`, text(size)))
  const log = encodeLog(records)
  const whole = parseLog(log)
  expect(whole).toMatchObject({ end: log.length, rest: 'nothing' })
  const last = whole.records.at(-1)?.offset ?? 0
  const starts = whole.records.map(({ offset }) => offset)
  const isNearStart = (at: number): boolean => starts.some((start) => at >= start && at < start + 30)
  for (let bit = 0; bit < last * 8; bit += isNearStart((bit + 1) >>> 3) || isNearStart(bit >>> 3) ? 1 : 1009) {
    const at = starts.findLast((start) => start <= bit >>> 3) ?? 0
    // What fills up a block belongs to no record, and nobody reads it.
    expect(['damaged', 'nothing'], `bit ${bit}`).toContain(parseLog(flipped(log, bit)).rest)
    if (isNearStart(bit >>> 3))
      expect(parseLog(flipped(log, bit)), `bit ${bit}`).toMatchObject({ end: at, rest: 'damaged' })
  }
})
