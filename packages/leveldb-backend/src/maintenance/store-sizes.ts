import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Sizes } from '@turnlog/core/backend'

/** Everything in the directory, also what was set aside. Files may vanish meanwhile: LevelDB is at work. */
export async function storeSizes(directory: string): Promise<Sizes> {
  let bytes = 0
  let files = 0
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const found = await lstat(join(entry.path, entry.name)).catch(() => undefined) // gone since
    if (found === undefined) continue
    bytes += found.size
    files += 1
  }
  return { bytes, files }
}
