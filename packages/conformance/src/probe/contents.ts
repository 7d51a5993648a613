import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The contents of every file below a directory, whether the target names it or not. */
export async function contents(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const read = files.map(async (file) => [file, (await readFile(file)).toString('base64')] as const)
  return Object.fromEntries(await Promise.all(read))
}
