import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonlBackend } from '@turnlog/jsonl-backend'

/** The backend as the conformance suite sees it. Plain JavaScript, because child processes import it too. */
export const target = jsonlTarget('jsonl', import.meta.url)

export function jsonlTarget(name, module, options = {}) {
  return {
    name,
    module,
    async create({ directory }) {
      const made = []
      const make = (path = directory) => {
        const backend = jsonlBackend({ path, ...options })
        made.push(backend)
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
          const names = await readdir(directory)
          return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(directory, name))
        },
        async destroy() {
          await Promise.all(made.map((backend) => backend.close()))
        },
      }
    },
  }
}
