import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A store that says so when it is written to or read from, and then does not come back before it is closed. */
export function slowStore(directory: string): string {
  const file = join(directory, 'slow.mjs')
  const memory = new URL('../../core/dist/memory/index.js', import.meta.url).href
  const contract = new URL('../../core/dist/backend/index.js', import.meta.url).href
  writeFileSync(
    file,
    `import { wrapBackend } from '${contract}'
import { memoryBackend } from '${memory}'
const backend = memoryBackend()
await backend.open()
await backend.append('s', { last: 0, incarnation: 'i' }, [{ seq: 1, id: 'i', type: 'Noted', v: 1, at: 1, kind: 'k', data: 1 }], null)
let close
const closed = new Promise((resolve) => (close = resolve))
const wait = async () => {
  // Nothing else keeps the process.
  const alive = setInterval(() => undefined, 1000)
  process.stderr.write('waiting\\n')
  await closed
  clearInterval(alive)
  throw Object.assign(new Error('closed'), { code: 'CLOSED' })
}
export default wrapBackend(backend, {
  name: 'slow',
  close: async () => { close(); await backend.close() },
  append: wait,
  async *read(...args) { yield* backend.read(...args); await wait() },
})
`,
  )
  return file
}
