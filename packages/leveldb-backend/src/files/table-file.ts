import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

import { crc32c, unmask } from './crc32c.ts'
import { uncompress } from './snappy.ts'
import { readVarint } from './varint.ts'

const FOOTER_BYTES = 48
const MAGIC = 0xdb4775248b80fb57n
/** Behind each block: how it is compressed, and a checksum. */
const TRAILER_BYTES = 5
/** Data blocks are read together up to this size: one hop each, and a few milliseconds to check. */
const CHUNK_BYTES = 1024 * 1024

export interface BlockHandle {
  readonly offset: number
  readonly bytes: number
}

/** A block as an index lists it. */
export interface IndexedBlock extends BlockHandle {
  /** No user key in this block is above it, none in the next one below. */
  readonly limit: Buffer
}

export interface TableBlocks {
  readonly file: string
  readonly blocks: readonly IndexedBlock[]
}

/** Behind each user key: a sequence number and what was done. */
const KEY_TRAILER_BYTES = 8

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
    const blocks = indexBlock === undefined ? undefined : handles(indexBlock)
    const filters = metaBlock === undefined ? undefined : handles(metaBlock)
    if (blocks === undefined || filters === undefined) return { problem: 'its index is damaged' }
    let end = 0
    for (const block of [...blocks, ...filters]) {
      if (block.offset !== end) return { problem: 'its index is damaged' }
      end = block.offset + block.bytes + TRAILER_BYTES
    }
    if (end !== meta.offset) return { problem: 'its index is damaged' }
    for (const filter of filters)
      if (readBlock(descriptor, filter) === undefined) return { problem: 'its filter is damaged' }
    return { file, blocks }
  } finally {
    closeSync(descriptor)
  }
}

/** Checks the checksums of all data blocks. Gives the offset of a damaged one, or `undefined`. */
export async function checkBlocks({ file, blocks }: TableBlocks, signal?: AbortSignal): Promise<number | undefined> {
  const handle = await open(file, 'r')
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  try {
    for (let index = 0; index < blocks.length;) {
      signal?.throwIfAborted()
      const start = blocks[index]?.offset ?? 0
      let end = index
      let size = 0
      for (let block = blocks[end]; block !== undefined; block = blocks[end]) {
        const next = block.offset + block.bytes + TRAILER_BYTES - start
        if (size > 0 && next > CHUNK_BYTES) break
        size = next
        end += 1
      }
      const chunk = size > buffer.length ? Buffer.allocUnsafeSlow(size) : buffer
      const { bytesRead } = await handle.read(chunk, 0, size, start)
      if (bytesRead !== size) return start
      for (; index < end; index += 1) {
        const block = blocks[index]
        if (block !== undefined && !isWhole(chunk, block.offset - start, block.bytes)) return block.offset
      }
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

/** The values of an index block: handles of other blocks, in order. */
function handles(block: Buffer): readonly IndexedBlock[] | undefined {
  if (block.length < 4) return undefined
  const end = block.length - 4 * (block.readUInt32LE(block.length - 4) + 1)
  const found: IndexedBlock[] = []
  let key = Buffer.alloc(0)
  let at = 0
  while (at < end) {
    const shared = readVarint(block, at)
    const own = shared && readVarint(block, shared.next)
    const value = own && readVarint(block, own.next)
    if (shared === undefined || own === undefined || value === undefined) return undefined
    const start = value.next + own.value
    key = Buffer.concat([key.subarray(0, shared.value), block.subarray(value.next, start)])
    const handle = readHandle(block, start)
    at = start + value.value
    if (handle === undefined || handle.next > at) return undefined
    const limit = key.subarray(0, Math.max(0, key.length - KEY_TRAILER_BYTES))
    found.push({ offset: handle.offset, bytes: handle.bytes, limit })
  }
  return at === end ? found : undefined
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
