import { closeSync, fsyncSync, ftruncateSync, openSync } from 'node:fs'

/** Durably. */
export function cutFile(file: string, length: number): void {
  const descriptor = openSync(file, 'r+')
  try {
    ftruncateSync(descriptor, length)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
