import { basename, dirname, join } from 'node:path'
import type { FileSystem, OpenFile } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { readFully, writeAll } from '../file-system/write-all.ts'

const CHUNK_BYTES = 1024 * 1024

/** Copies bytes of `source` to `target`, from `position` of both on. */
export async function copyBytes(
  source: OpenFile,
  target: OpenFile,
  from: number,
  to: number,
  position: number,
): Promise<void> {
  for (let offset = from; offset < to;) {
    const chunk = await readFully(source, offset, Math.min(CHUNK_BYTES, to - offset))
    if (chunk.length === 0) throw Object.assign(new Error('The file is shorter than it was.'), { code: 'EIO' })
    await writeAll(target, chunk, position + offset - from)
    offset += chunk.length
  }
}

/** Keeps the bytes from `from` on in a file of their own, durably. */
export async function copyAside(
  fileSystem: FileSystem,
  path: string,
  source: OpenFile,
  from: number,
  kind: 'torn' | 'damaged',
): Promise<string> {
  const aside = await freeName(fileSystem, path, kind)
  const file = await fileSystem.open(aside, { access: 'create' })
  try {
    await copyBytes(source, file, from, source.stat().size, 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await fileSystem.syncDirectory(dirname(path))
  return aside
}

/** A free name next to a session file: `a.jsonl.torn-1`, `a.jsonl.torn-2` and so on. Only the owner makes any. */
async function freeName(fileSystem: FileSystem, path: string, kind: 'torn' | 'damaged'): Promise<string> {
  const prefix = `${basename(path)}.${kind}-`
  let number = 1
  for (const name of await fileSystem.list(dirname(path))) {
    if (name.startsWith(prefix)) number = Math.max(number, Number(name.slice(prefix.length)) + 1 || 1)
  }
  return join(dirname(path), prefix + number)
}

/** Removes everything beside a session file that was made for it; the caller syncs the directory afterwards. */
export async function removeAside(fileSystem: FileSystem, path: string): Promise<void> {
  for (const name of await fileSystem.list(dirname(path))) {
    if (belongsTo(basename(path), name)) await removeIfThere(fileSystem, join(dirname(path), name))
  }
}

/** Whether a name in the directory was made for the session file `sessionName`, beside the file itself. */
export function belongsTo(sessionName: string, name: string): boolean {
  return name.startsWith(`${sessionName}.`) && /^(?:tmp|(?:torn|damaged)-\d+)$/.test(name.slice(sessionName.length + 1))
}
