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
