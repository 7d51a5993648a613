import { statfsSync } from 'node:fs'

/**
 * The kind of file system that a path lies in, as the kernel numbers them. Overlay shows the files of another one with
 * other numbers and other sockets, so who sees a file in another kind does not see it as it is.
 *
 * @returns `undefined` if it cannot be asked
 */
export function fileSystemType(path: string): number | undefined {
  try {
    return statfsSync(path).type
  } catch {
    return undefined
  }
}

/** ext2 to 4, xfs, btrfs, zfs, f2fs, bcachefs, tmpfs, overlay. */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x01021994, 0x794c7630])

/**
 * Whether a path lies in a file system that is known to be of this machine alone. In any other one a socket may have its
 * listener where this kernel does not know of it, and a file other numbers wherever it is mounted.
 */
export function isLocal(path: string): boolean {
  const type = fileSystemType(path)
  return type !== undefined && LOCAL.has(type)
}
