import { open } from 'node:fs/promises'

import type { CaseContext } from '../context/case.ts'
import type { Image, ImageFile } from './damage.ts'

/** The last records of a file are looked for in so many bytes at its end. */
const TAIL_BYTES = 700

/** Where the last `records` records of a file begin, or the whole of what is not a growing file, within reason. */
export function tailStart({ size, ends }: ImageFile, records: number): number {
  const start = ends.at(-1 - records) ?? 0
  return Math.max(start < size ? start : 0, size - TAIL_BYTES)
}

/** Every byte of the last records, or a sample with the places around the end of each record. */
export function cuts({ thorough, random }: CaseContext, file: ImageFile): number[] {
  const start = tailStart(file, 2)
  const step = thorough ? 1 : file.isLatest ? 4 : 17
  const first = start + (thorough ? 0 : random.integer(0, step - 1))
  const sizes = new Set<number>()
  for (let size = first; size < file.size; size += step) sizes.add(size)
  for (const end of [start, ...file.ends, file.size]) for (const near of [end - 1, end, end + 1]) sizes.add(near)
  return [...sizes].filter((size) => size >= start && size < file.size).sort((a, b) => a - b)
}

export function* flips(
  { random, count, thorough }: CaseContext,
  image: Image,
): Generator<{ file: ImageFile; offset: number; bit: number }> {
  const files = image.files.filter(({ size }) => size > 0)
  if (thorough) {
    for (const file of files) {
      for (let offset = 0; offset < file.size; offset++) yield { file, offset, bit: random.integer(0, 7) }
    }
    return
  }
  for (let i = 0; i < count(150); i++) {
    const file = random.pick(files)
    yield { file, offset: random.integer(0, file.size - 1), bit: random.integer(0, 7) }
  }
}

export async function flip(path: string, offset: number, bit: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const byte = new Uint8Array(1)
    await file.read(byte, 0, 1, offset)
    await file.write(Uint8Array.of((byte[0] ?? 0) ^ (1 << bit)), 0, 1, offset)
  } finally {
    await file.close()
  }
}

export async function zero(path: string, offset: number, length: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(new Uint8Array(length), 0, length, offset)
  } finally {
    await file.close()
  }
}
