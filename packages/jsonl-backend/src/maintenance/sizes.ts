import type { Sizes } from '@turnlog/core/backend'
import { decodeFileName } from '../format/file-name.ts'
import type { OpenDirectory } from '../open/open-directory.ts'
import { belongsTo } from '../recovery/set-aside.ts'

/** What the files of the store take, also those that were set aside. */
export async function sizes({ fileSystem, directory, sessionIndex }: OpenDirectory): Promise<Sizes> {
  const names = (await fileSystem.list(directory)).filter((name) => sessionIndex.has(name) || isOurs(name))
  const stats = await fileSystem.stat(directory, names)
  return { bytes: stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0), files: names.length }
}

function isOurs(name: string): boolean {
  if (name.startsWith('turnlog.') || decodeFileName(name) !== undefined) return true
  const session = name.slice(0, name.lastIndexOf('.'))
  return decodeFileName(session) !== undefined && belongsTo(session, name)
}
