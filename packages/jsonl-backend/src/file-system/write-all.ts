import type { OpenFile } from './file-system.ts'

/** Writes all of `bytes`, however few a single call takes. A full disk shows as a short count first, then as ENOSPC. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const written = await file.write(done === 0 ? bytes : bytes.subarray(done), position + done)
    if (written === 0) throw Object.assign(new Error('The file system takes no more bytes.'), { code: 'ENOSPC' })
    done += written
  }
}

/** Reads exactly `length` bytes, or up to the end of the file if that comes first. */
export function readFully(file: OpenFile, position: number, length: number): Promise<Buffer> {
  return fillBuffer(file, position, Buffer.allocUnsafeSlow(length))
}

/** The same into a buffer; gives the part that was filled. */
export async function fillBuffer(file: OpenFile, position: number, buffer: Buffer): Promise<Buffer> {
  const { length } = buffer
  let done = 0
  while (done < length) {
    const count = await file.read(done === 0 ? buffer : buffer.subarray(done), position + done)
    if (count === 0) return buffer.subarray(0, done)
    done += count
  }
  return buffer
}
