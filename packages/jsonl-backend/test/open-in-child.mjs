import { jsonlBackend } from '@turnlog/jsonl-backend'

const [, , directory, what] = process.argv
const backend = jsonlBackend({ path: directory })
try {
  await backend.open()
  const event = { seq: 1, id: 'a', type: 'Noted', v: 1, at: 0 }
  await backend.append('from-child', { last: 0, incarnation: 'i' }, [event], null)
  console.log('open')
  if (what === 'hold') setInterval(() => undefined, 1000)
} catch (error) {
  console.log(`${error.code} ${error.message}`)
}
