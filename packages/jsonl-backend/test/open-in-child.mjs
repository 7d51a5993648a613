import { jsonlBackend } from '@turnlog/jsonl-backend'

const [, , directory, what] = process.argv
const backend = jsonlBackend({ path: directory })
try {
  await backend.open()
  const last = (await backend.head('from-child'))?.last ?? 0
  const event = { seq: last + 1, id: `a${last}`, type: 'Noted', v: 1, at: 0 }
  await backend.append('from-child', { last, incarnation: 'i' }, [event], null)
  console.log('open')
  if (what === 'hold') setInterval(() => undefined, 1000)
} catch (error) {
  console.log(`${error.code} ${error.message}`)
}
