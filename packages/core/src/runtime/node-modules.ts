import type * as diagnostics from 'node:diagnostics_channel'
import type * as fs from 'node:fs'
import type * as path from 'node:path'
import type * as url from 'node:url'

/** The parts of Node that a store needs. */
export interface NodeModules {
  readonly diagnostics: typeof diagnostics
  readonly fs: typeof fs
  readonly path: typeof path
  readonly url: typeof url
}

/**
 * Node's own modules, or `undefined` where there are none. Asked for at run time, because an import, static or not,
 * would break bundles for browsers.
 */
export function nodeModules(): NodeModules | undefined {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  if (typeof process?.getBuiltinModule !== 'function') return undefined
  return {
    diagnostics: process.getBuiltinModule('node:diagnostics_channel'),
    fs: process.getBuiltinModule('node:fs'),
    path: process.getBuiltinModule('node:path'),
    url: process.getBuiltinModule('node:url'),
  }
}
