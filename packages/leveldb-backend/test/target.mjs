import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'

/** @type {import('@turnlog/conformance').Target} */
export const target = {
  name: 'leveldb',
  module: import.meta.url,
  async create({ directory }) {
    const path = directory
    const made = [leveldbBackend({ path })]
    const make = (at = path) => {
      const backend = leveldbBackend({ path: at })
      made.push(backend)
      return backend
    }
    return {
      backend: made[0],
      async reopen() {
        await made[0].close()
        const backend = make()
        made[0] = backend
        await backend.open()
        return backend
      },
      second: async (options = {}) => make(options.path),
      async files() {
        const names = await readdir(path)
        return names.filter((name) => /\.(?:ldb|log)$|^MANIFEST-|^CURRENT$/.test(name)).map((name) => join(path, name))
      },
      async destroy() {
        for (const backend of made) await backend.close()
      },
    }
  },
}
