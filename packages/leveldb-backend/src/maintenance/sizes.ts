import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Sizes } from '@turnlog/core/backend'

/** Everything in the directory, also what was set aside. Anything may vanish meanwhile: LevelDB and erasures are at work. */
export async function storeSizes(directory: string): Promise<Sizes> {
  let bytes = 0
  let files = 0
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      const inside = await storeSizes(path).catch(ifGone)
      bytes += inside?.bytes ?? 0
      files += inside?.files ?? 0
    } else if (entry.isFile()) {
      const found = await lstat(path).catch(ifGone)
      if (found === undefined) continue
      bytes += found.size
      files++
    }
  }
  return { bytes, files }
}

function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
