import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sqliteBackend } from '@turnlog/sqlite-backend'

/** Where `npm test` puts better-sqlite3, for a Node without SQLite. */
const INSTALLED = fileURLToPath(new URL('driver/node_modules/better-sqlite3', import.meta.url))

/** Options with which there is a SQLite here. */
export const DRIVER = process.getBuiltinModule?.('node:sqlite') === undefined ? { driver: INSTALLED } : {}

/** Why there is none, for the tests to say so. */
export const MISSING =
  'driver' in DRIVER && !existsSync(join(INSTALLED, 'build'))
    ? `Node ${process.versions.node} has no SQLite, and better-sqlite3 could not be installed`
    : undefined

/** The backend as the conformance suite sees it. Plain JavaScript, because child processes import it too. */
export const target = sqliteTarget('sqlite', import.meta.url)

export function sqliteTarget(name, module, options = () => ({})) {
  return {
    name,
    module,
    async create({ directory }) {
      const made = []
      const fileIn = (path) => join(path, 'sessions.db')
      const make = (path = directory) => {
        const { close = () => {}, ...own } = options(fileIn(path))
        const backend = sqliteBackend('database' in own ? own : { path: fileIn(path), ...DRIVER, ...own })
        made.push({ backend, close })
        return backend
      }
      let current = make()
      return {
        backend: current,
        async reopen() {
          await current.close()
          current = make()
          await current.open()
          return current
        },
        async second(options) {
          return make(options?.path)
        },
        async files() {
          const file = fileIn(directory)
          return [file, `${file}-wal`].filter((path) => existsSync(path))
        },
        async destroy() {
          for (const { backend, close } of made) {
            await backend.close()
            close()
          }
        },
      }
    },
  }
}
