import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { cutFile } from '@turnlog/leveldb-files'

import { SET_ASIDE } from './store-files.ts'

/** Moves a file out of LevelDB's sight. Gives its new path. */
export function setFileAside(file: string): string {
  const target = asidePath(file, '')
  renameSync(file, target)
  return target
}

/** Deletes the tables that were moved aside before. */
export function removeTablesAside(directory: string): void {
  const aside = join(directory, SET_ASIDE)
  for (const name of existsSync(aside) ? readdirSync(aside) : []) {
    if (/\.(?:ldb|sst)$/.test(name)) rmSync(join(aside, name), { force: true })
  }
}

/** Copies the end of a file and then cuts it off. Gives the path of the copy. */
export function setTailAside(file: string, offset: number): string {
  const target = asidePath(file, `.${offset}.torn`)
  writeFileSync(target, readFileSync(file).subarray(offset), { mode: 0o600, flush: true })
  cutFile(file, offset)
  return target
}

/** Names carry the time, because file numbers come again. */
function asidePath(file: string, suffix: string): string {
  const directory = join(dirname(file), SET_ASIDE)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  return join(directory, `${time}-${process.hrtime.bigint()}-${basename(file)}${suffix}`)
}
