import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Target } from '../context/target.ts'
import { UsageError } from '../context/usage-error.ts'

/** Imports the target that a module exports. */
export async function loadTarget(module: string): Promise<Target> {
  const exported = (await import(isAbsolute(module) ? pathToFileURL(module).href : module)) as { target?: Target }
  const { target } = exported
  if (target === undefined || typeof target.create !== 'function') {
    throw new UsageError(`${module} exports no \`target\` with a create function. See docs/writing-a-backend.md.`)
  }
  return target
}
