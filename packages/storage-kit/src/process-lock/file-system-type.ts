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
