import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { BackendLoader } from '@turnlog/core'
import { StoreError } from '@turnlog/core'
import { resolveModuleURL } from 'exsolve'

/**
 * The package or file that `specifier` means in the file `base`. It is found without running it, so that "not installed"
 * and "installed but does not load" are never confused.
 *
 * @throws `BACKEND_LOAD_FAILED` if the package is there, but has no such entry
 */
export async function findBackend(specifier: string, base: string | undefined): Promise<BackendLoader | undefined> {
  const from = base ?? import.meta.url
  const wanted = isAbsolute(specifier) ? pathToFileURL(specifier).href : specifier
  try {
    const url = resolveModuleURL(wanted, { from, cache: false, conditions: ['node', 'import', 'module-sync'] })
    if (!url.startsWith('file:')) return undefined // one of Node's own modules
    return () => import(/* webpackIgnore: true */ /* @vite-ignore */ url)
  } catch (error) {
    const name = packageName(specifier)
    if (name === undefined || !isInstalled(name, from)) return undefined
    throw new StoreError(
      'BACKEND_LOAD_FAILED',
      `The package ${name} is installed, but its entry is missing. Install it again, or build it.`,
      { cause: error },
    )
  }
}

/** `undefined` for a file. */
function packageName(specifier: string): string | undefined {
  if (/^\.{0,2}\/|^file:|^[A-Za-z]:[\\/]/.test(specifier)) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function isInstalled(name: string, from: string): boolean {
  for (let folder = dirname(from.startsWith('file:') ? fileURLToPath(from) : from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true
    if (folder === dirname(folder)) return false
  }
}
