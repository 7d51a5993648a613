import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files below a directory that hold one of these texts, or have it in their name. */
export async function filesWith(directory: string, ...texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0)) // gone meanwhile
    if (texts.some((text) => content.includes(text) || entry.name.includes(text))) found.push(entry.name)
  }
  return found
}
