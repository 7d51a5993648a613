import { isMainThread, Worker } from 'node:worker_threads'
import { jsonlBackend } from '@turnlog/jsonl-backend'

const [, , directory, what] = process.argv
if (what === 'hold in a thread' && isMainThread) {
  new Worker(import.meta.filename, { argv: [directory, what] }).once('exit', (code) => process.exit(code))
} else {
  const backend = jsonlBackend({ path: directory })
  try {
    await backend.open()
    const last = (await backend.head('from-child'))?.last ?? 0
    const event = { seq: last + 1, id: `a${last}`, type: 'Noted', v: 1, at: 0 }
    await backend.append('from-child', { last, incarnation: 'i' }, [event], null)
    console.log('open')
    if (what.startsWith('hold')) setInterval(() => undefined, 1000)
  } catch (error) {
    console.log(`${error.code} ${error.message}`)
  }
}
