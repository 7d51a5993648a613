import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

import { BlockEntries } from './block-entries.ts'
import { crc32c, unmask } from './crc32c.ts'
import { uncompress } from './uncompress.ts'
import { readVarint } from './varint.ts'

const FOOTER_BYTES = 48
const MAGIC = 0xdb4775248b80fb57n
/** Behind each block: how it is compressed, and a checksum. */
export const TRAILER_BYTES = 5
/** Data blocks are read together up to this size: one hop each, and a few milliseconds to check. */
const CHUNK_BYTES = 1024 * 1024

export interface BlockHandle {
  readonly offset: number
  readonly bytes: number
}

/** A table whose footer, index and filter are right. Its data blocks lie one behind the other, from its first byte. */
export interface TableBlocks {
  readonly file: string
  /** What each data block takes, with its trailer. */
  readonly sizes: readonly number[]
  /** The keys between the data blocks, see {@link BlockEntries}. */
  readonly index: Buffer
}

/**
 * Checks what LevelDB trusts blindly and would crash on: size, footer, index and filter. Gives the data blocks, which
 * `checkBlocks` can check, or what is wrong.
 */
export function checkTable(file: string, bytes: number): TableBlocks | { readonly problem: string } {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size !== bytes) return { problem: `it has ${size} bytes instead of ${bytes}` }
    if (size < FOOTER_BYTES) return { problem: 'it is too short' }
    const footer = readAt(descriptor, size - FOOTER_BYTES, FOOTER_BYTES)
    if (footer.readBigUInt64LE(FOOTER_BYTES - 8) !== MAGIC) return { problem: 'its footer is damaged' }
    const meta = readHandle(footer, 0)
    const index = meta === undefined ? undefined : readHandle(footer, meta.next)
    if (meta === undefined || index === undefined) return { problem: 'its footer is damaged' }
    // The index is the last block before the footer, the one that describes the filter is right before it.
    const isTiled =
      index.offset + index.bytes + TRAILER_BYTES === size - FOOTER_BYTES &&
      meta.offset + meta.bytes + TRAILER_BYTES === index.offset &&
      footer.subarray(index.next, FOOTER_BYTES - 8).every((byte) => byte === 0)
    if (!isTiled) return { problem: 'its footer is damaged' }
    const metaBlock = readBlock(descriptor, meta)
    const indexBlock = readBlock(descriptor, index)
    const sizes = indexBlock === undefined ? undefined : sizesBehind(indexBlock, 0)
    if (sizes === undefined || indexBlock === undefined || metaBlock === undefined) {
      return { problem: 'its index is damaged' }
    }
    let end = sumOf(sizes)
    const filters = sizesBehind(metaBlock, end)
    if (filters === undefined || end + sumOf(filters) !== meta.offset) return { problem: 'its index is damaged' }
    for (const size of filters) {
      const filter = { offset: end, bytes: size - TRAILER_BYTES }
      if (readBlock(descriptor, filter) === undefined) return { problem: 'its filter is damaged' }
      end += size
    }
    return { file, sizes, index: indexBlock }
  } finally {
    closeSync(descriptor)
  }
}

/** Checks the checksums of all data blocks. Gives the offset of a damaged one, or `undefined`. */
export async function checkBlocks(
  { file, sizes }: Pick<TableBlocks, 'file' | 'sizes'>,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const handle = await open(file, 'r')
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  try {
    let start = 0
    for (let index = 0; index < sizes.length;) {
      signal?.throwIfAborted()
      let end = index
      let bytes = 0
      do bytes += sizes[end++] ?? 0
      while (end < sizes.length && bytes + (sizes[end] ?? 0) <= CHUNK_BYTES)
      const chunk = bytes > buffer.length ? Buffer.allocUnsafeSlow(bytes) : buffer
      const { bytesRead } = await handle.read(chunk, 0, bytes, start)
      if (bytesRead !== bytes) return start
      for (let at = 0; index < end; index++) {
        const size = sizes[index] ?? 0
        if (!isWhole(chunk, at, size - TRAILER_BYTES)) return start + at
        at += size
      }
      start += bytes
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/** Whether the checksum of a block is right. */
function isWhole(bytes: Buffer, start: number, length: number): boolean {
  return crc32c(bytes, start, start + length + 1) === unmask(bytes.readUInt32LE(start + length + 1))
}

/** The contents of a block, or `undefined` if it is damaged. */
export function readBlock(descriptor: number, { offset, bytes }: BlockHandle): Buffer | undefined {
  const block = readAt(descriptor, offset, bytes + TRAILER_BYTES)
  if (block.length !== bytes + TRAILER_BYTES || !isWhole(block, 0, bytes)) return undefined
  const contents = block.subarray(0, bytes)
  return block[bytes] === 1 ? uncompress(contents) : block[bytes] === 0 ? contents : undefined
}

/** The sizes of the blocks that an index lists, if they lie one behind the other from `start` on. */
function sizesBehind(index: Buffer, start: number): readonly number[] | undefined {
  const entries = new BlockEntries(index)
  const sizes: number[] = []
  let end = start
  while (entries.next()) {
    const { offset, bytes } = entries.handle()
    if (offset !== end) return undefined
    sizes.push(bytes + TRAILER_BYTES)
    end += bytes + TRAILER_BYTES
  }
  return entries.isDamaged ? undefined : sizes
}

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0)
}

function readHandle(bytes: Buffer, at: number): (BlockHandle & { readonly next: number }) | undefined {
  const offset = readVarint(bytes, at)
  const size = offset && readVarint(bytes, offset.next)
  return offset && size && { offset: offset.value, bytes: size.value, next: size.next }
}

function readAt(descriptor: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, offset))
}
