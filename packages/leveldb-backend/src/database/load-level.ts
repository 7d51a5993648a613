import { statSync } from 'node:fs'
import { createRequire } from 'node:module'

import { StoreError } from '@turnlog/core/backend'
import type { ClassicLevel } from 'classic-level'

interface LevelModule {
  readonly ClassicLevel: typeof ClassicLevel
}

/**
 * classic-level and its native module, by `require`: on Node 20 a native module that fails inside `import()` ends the
 * process, although the rejection is handled. So nothing may import it statically but for types.
 *
 * @throws `BACKEND_LOAD_FAILED`
 */
export function loadLevel(): LevelModule {
  // Node resolves no link in a path if the last file that it looked at synchronously was a socket, such as that of a
  // lock, and would then look for the dependencies of the module in the wrong folders.
  statSync(process.execPath)
  try {
    return createRequire(import.meta.url)('classic-level') as LevelModule
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new StoreError(
      'BACKEND_LOAD_FAILED',
      `The LevelDB backend does not load on ${process.platform} ${process.arch} with Node ${process.versions.node}, because its native module classic-level does not: ${reason}. Install it again on this machine, or choose another backend, such as "jsonl:".`,
      { cause: error },
    )
  }
}
