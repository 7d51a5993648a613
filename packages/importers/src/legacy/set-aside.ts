import fs from 'node:fs'
import path from 'node:path'
import { Rejection } from './rejection.ts'
import type { LegacySource } from './scan-directory.ts'
import { DONE } from './scan-directory.ts'

/**
 * Renames the files of an imported session, so that the next run does not look at them again. A `.meta.json` goes last:
 * while it is there, the session counts as unfinished.
 *
 * @returns their new names
 * @throws {@link Rejection}
 */
export async function setAside(directory: string, source: LegacySource): Promise<string[]> {
  const names =
    source.kind === 'snapshot'
      ? [source.snapshot]
      : source.lines === undefined || source.linesAreDone
        ? [source.meta]
        : [source.lines, source.meta]
  const renamed: string[] = []
  for (const name of names) renamed.push(await renameFile(directory, name))
  return renamed
}

async function renameFile(directory: string, name: string): Promise<string> {
  try {
    const target = freeName(directory, name + DONE)
    await fs.promises.rename(path.join(directory, name), path.join(directory, target))
    return target
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new Rejection(
      'failed',
      `The session is in the store, but ${name} could not be renamed (${code}). Make the directory writable and run again; nothing will be imported twice.`,
      { code: 'IO', cause: error },
    )
  }
}

/** Renaming replaces what has the new name, and an original is never lost: also not that of an earlier migration. */
function freeName(directory: string, wanted: string): string {
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? wanted : `${wanted}.${attempt}`
    if (fs.lstatSync(path.join(directory, name), { throwIfNoEntry: false }) === undefined) return name
  }
}
