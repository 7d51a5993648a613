import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Installs the SQLite that the tests use where Node has none. It has a directory and a lockfile of its own, because it is
 * compiled: nothing but the tests should wait for that. Says so and goes on where there is no compiler; the tests that
 * need it are then skipped with that reason.
 */
const DIRECTORY = fileURLToPath(new URL('driver/', import.meta.url))
const PNPM = 'pnpm@10.34.9'

const isThere = existsSync(`${DIRECTORY}node_modules/better-sqlite3/build`)
if (!isThere && process.getBuiltinModule?.('node:sqlite') === undefined) {
  console.log(
    'Installing better-sqlite3 for the tests of the SQLite backend (once; compiling takes a minute or two) ...',
  )
  try {
    const install = ['--yes', PNPM, 'install', '--dir', DIRECTORY, '--ignore-workspace', '--frozen-lockfile']
    execFileSync('npx', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  } catch (error) {
    console.log(`It could not be installed (${error.message}); the tests of the SQLite backend are skipped.`)
  }
}
