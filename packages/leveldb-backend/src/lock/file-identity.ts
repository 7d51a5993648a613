import { statSync } from 'node:fs'

import { isLocal } from '@turnlog/core/life-sign'

/** Which file it is, as long as the machine runs: whoever copies a file gets another one. */
export interface FileIdentity {
  readonly device: string
  readonly inode: string
}

export function fileIdentity(file: string): FileIdentity {
  const { dev, ino } = statSync(file, { bigint: true })
  return { device: String(dev), inode: String(ino) }
}

/** Whether a file is certainly not the one that is named, in the same start of the same machine. */
export function isAnotherFile(file: string, { device, inode }: Partial<FileIdentity>): boolean {
  if (device === undefined || inode === undefined) return false
  try {
    const found = fileIdentity(file)
    return (found.device !== device || found.inode !== inode) && isLocal(file)
  } catch {
    return false // gone since, or cannot be told
  }
}
