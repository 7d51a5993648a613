import type * as crypto from 'node:crypto'
import type * as fs from 'node:fs'
import type * as path from 'node:path'
import { StoreError } from '../errors/store-error.ts'

/** The parts of Node that migration needs. */
export interface NodeFiles {
  readonly crypto: typeof crypto
  readonly fs: typeof fs
  readonly path: typeof path
}

/**
 * Asked for at run time: `openStore` leads here, and an import would break bundles for browsers.
 *
 * @throws `UNSUPPORTED` where there are no files
 */
export function nodeFiles(): NodeFiles {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  if (typeof process?.getBuiltinModule !== 'function') {
    throw new StoreError('UNSUPPORTED', 'Migration reads a directory, which this runtime cannot do. Run it in Node.')
  }
  return {
    crypto: process.getBuiltinModule('node:crypto'),
    fs: process.getBuiltinModule('node:fs'),
    path: process.getBuiltinModule('node:path'),
  }
}
