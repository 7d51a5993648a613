import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes the names in a directory durable. Windows has no such thing, and does not need it. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
