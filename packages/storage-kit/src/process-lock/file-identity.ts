import { statSync } from 'node:fs'

import { fileSystemType, isLocal } from './file-system-type.ts'

/** Which file it is, as long as the machine runs: a copy of it has other numbers. */
export interface FileIdentity {
  readonly device: string
  readonly inode: string
  /** The kind of file system that it lies in; locks of older versions do not say it. */
  readonly fileSystem?: number | undefined
}

/** It shows the files of another file system under numbers of its own. */
const OVERLAY = 0x794c7630

export function fileIdentity(file: string): FileIdentity {
  const { dev, ino } = statSync(file, { bigint: true })
  return { device: String(dev), inode: String(ino), fileSystem: fileSystemType(file) }
}

/** Whether a file is certainly not the one that is named, in the same start of the same machine. */
export function isAnotherFile(file: string, { device, inode, fileSystem }: Partial<FileIdentity>): boolean {
  if (device === undefined || inode === undefined) return false
  try {
    const found = fileIdentity(file)
    const isSeenAlike = [fileSystem, found.fileSystem].every((kind) => kind !== undefined && kind !== OVERLAY)
    if (!isSeenAlike && fileSystem !== found.fileSystem) return false
    return (found.device !== device || found.inode !== inode) && isLocal(file)
  } catch {
    return false // gone since, or cannot be told
  }
}
