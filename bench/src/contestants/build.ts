import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import * as turnlog from 'turnlog'

/** What the scenarios take from a build of the package `turnlog`. */
export type Build = Pick<typeof turnlog, 'jsonlBackend' | 'leveldbBackend' | 'memoryBackend' | 'openStore'>

export const thisBuild: Build = turnlog

/** The build in another checkout. Its modules are its own, so that both run side by side in one process. */
export async function loadBuild(checkout: string): Promise<Build> {
  const manifest = join(resolve(checkout), 'packages/turnlog/package.json')
  return (await import(pathToFileURL(createRequire(manifest).resolve('turnlog')).href)) as Build
}
