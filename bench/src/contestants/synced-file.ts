import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file as a careful program does: temporary file, sync, rename, sync of the directory. */
export function replaceFile(path: string, text: string, isSynced: boolean): void {
  const temporary = `${path}.tmp`
  writeAndClose(temporary, 'w', text, isSynced)
  renameSync(temporary, path)
  if (!isSynced) return
  const directory = openSync(dirname(path), 'r')
  fsyncSync(directory)
  closeSync(directory)
}

export function writeAndClose(path: string, flags: 'a' | 'w', text: string, isSynced: boolean): void {
  const file = openSync(path, flags)
  writeSync(file, text)
  if (isSynced) fsyncSync(file)
  closeSync(file)
}
