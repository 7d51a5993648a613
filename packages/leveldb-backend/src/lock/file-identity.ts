import { statfsSync, statSync } from 'node:fs'

/** Which file it is, as long as the machine runs: whoever copies a file gets another one. */
export interface FileIdentity {
  readonly device: string
  readonly inode: string
}

/**
 * File systems of this machine alone: ext2 to 4, xfs, btrfs, zfs, f2fs, bcachefs, tmpfs, overlay. Of others one cannot be
 * sure that a file has the same numbers wherever it is mounted.
 */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x01021994, 0x794c7630])

export function fileIdentity(file: string): FileIdentity {
  const { dev, ino } = statSync(file, { bigint: true })
  return { device: String(dev), inode: String(ino) }
}

/** Whether a file is certainly not the one that is named, in the same start of the same machine. */
export function isAnotherFile(file: string, { device, inode }: Partial<FileIdentity>): boolean {
  if (device === undefined || inode === undefined) return false
  try {
    const found = fileIdentity(file)
    return (found.device !== device || found.inode !== inode) && LOCAL.has(statfsSync(file).type)
  } catch {
    return false // gone since, or cannot be told
  }
}
