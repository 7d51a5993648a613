import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Durability } from '@turnlog/core/backend'
import type { FileStat, FileSystem } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { replaceFile } from '../file-system/replace-file.ts'
import { readFully, writeAll } from '../file-system/write-all.ts'
import { checksum, toHex } from '../format/checksum.ts'

/** A cache of heads, for listing without opening files. Losing it costs time, never data. */
export const SIDECAR_NAME = 'turnlog.heads'
const TEMPORARY_NAME = 'turnlog.heads.tmp'

/** What was known about a session file when it looked like `stat`. */
export interface Known {
  readonly stat: Pick<FileStat, 'size' | 'mtimeMs' | 'inode'>
  /** JSON of what is committed in it; parsed only when it is asked for. */
  readonly text: string
}

export interface SidecarContent {
  /** The mode of those who wrote it; in `os` mode it may know of events that a power failure took. */
  readonly durability: Durability
  readonly known: ReadonlyMap<string, Known>
  /** Lines in the file, old ones included. */
  readonly lines: number
}

const LINE =
  /^\{"file":"([^"\\]+)","size":(\d+),"mtimeMs":([\d.]+),"inode":(\d+),"committed":(.*),"crc":"([0-9a-f]{8})"\}$/s

const LINES_AT_ONCE = 2000

/** `undefined` if there is none or it is not ours. Damaged lines are left out: they are only a cache. */
export async function loadSidecar(fileSystem: FileSystem, directory: string): Promise<SidecarContent | undefined> {
  const bytes = await readWhole(fileSystem, join(directory, SIDECAR_NAME))
  if (bytes === undefined) return undefined
  const known = new Map<string, Known>()
  let lines = 0
  let durability: Durability | undefined
  for (let start = 0, end; (end = bytes.indexOf(0x0a, start)) !== -1; start = end + 1) {
    const line = bytes.toString('utf8', start, end)
    if (durability === undefined) {
      const header = /^\{"turnlog":"jsonl-heads","v":1,"durability":"(sync|os)"\}$/.exec(line)
      if (header === null) return undefined
      durability = header[1] === 'os' ? 'os' : 'sync'
      continue
    }
    lines++
    if (lines % LINES_AT_ONCE === 0) await setImmediate() // a large directory must not hold up the process
    const match = LINE.exec(line)
    if (match === null) continue
    const [, name = '', size, mtimeMs, inode, text = '', digits] = match
    if (toHex(checksum(line.slice(0, -CHECKSUM_BYTES))) !== digits) continue
    known.set(name, { stat: { size: Number(size), mtimeMs: Number(mtimeMs), inode: Number(inode) }, text })
  }
  return durability === undefined ? undefined : { durability, known, lines }
}

const CHECKSUM_BYTES = ',"crc":"00000000"}'.length

function encodeLine(name: string, { stat, text }: Known): string {
  const fields = `{"file":"${name}","size":${stat.size},"mtimeMs":${stat.mtimeMs},"inode":${stat.inode},"committed":${text}`
  return `${fields},"crc":"${toHex(checksum(fields))}"}\n`
}

/** Adds lines; the last one for a file counts. */
export async function extendSidecar(
  fileSystem: FileSystem,
  directory: string,
  changed: Iterable<readonly [string, Known]>,
): Promise<void> {
  const file = await fileSystem.open(join(directory, SIDECAR_NAME), { access: 'write' })
  try {
    let text = ''
    for (const [name, known] of changed) text += encodeLine(name, known)
    // A line that was torn by a crash must not swallow the first new one.
    await writeAll(file, Buffer.from(`\n${text}`), file.stat().size)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes the whole file anew and puts it in place of the old one. */
export async function replaceSidecar(
  fileSystem: FileSystem,
  directory: string,
  durability: Durability,
  all: Iterable<readonly [string, Known]>,
): Promise<void> {
  const replaced = await replaceFile(fileSystem, join(directory, SIDECAR_NAME), false, async (file) => {
    let text = `{"turnlog":"jsonl-heads","v":1,"durability":"${durability}"}\n`
    let position = 0
    const flush = async (): Promise<void> => {
      const bytes = Buffer.from(text)
      text = ''
      await writeAll(file, bytes, position)
      position += bytes.length
    }
    for (const [name, known] of all) {
      text += encodeLine(name, known)
      if (text.length > 1_048_576) await flush()
    }
    await flush()
    await file.sync()
  })
  await replaced.close()
}

/**
 * Overwrites every line about a file, so that no byte of its session is left, and leaves what is known of the others:
 * after a crash that is the proof that they are whole. A line that is half overwritten fails its checksum.
 */
export async function eraseFromSidecar(fileSystem: FileSystem, directory: string, name: string): Promise<void> {
  await removeIfThere(fileSystem, join(directory, TEMPORARY_NAME))
  const file = await fileSystem.open(join(directory, SIDECAR_NAME), { access: 'write' })
  try {
    const bytes = await readFully(file, 0, file.stat().size)
    const mark = Buffer.from(`\n{"file":"${name}",`)
    let isChanged = false
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      const end = bytes.indexOf(0x0a, at + 1)
      await writeAll(file, Buffer.alloc((end === -1 ? bytes.length : end) - at, '\n'), at)
      isChanged = true
    }
    if (isChanged) await file.sync()
  } finally {
    await file.close()
  }
}

/** Gives whether there was one. */
export async function removeSidecar(fileSystem: FileSystem, directory: string): Promise<boolean> {
  await removeIfThere(fileSystem, join(directory, TEMPORARY_NAME))
  return removeIfThere(fileSystem, join(directory, SIDECAR_NAME))
}

async function readWhole(fileSystem: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    const file = await fileSystem.open(path, { access: 'read' })
    try {
      return await readFully(file, 0, file.stat().size)
    } finally {
      await file.close()
    }
  } catch {
    return undefined // missing or unreadable: whatever it knew is read from the files
  }
}
