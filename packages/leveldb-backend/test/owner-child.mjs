import { leveldbBackend } from '@turnlog/leveldb-backend'

const backend = leveldbBackend({ path: process.argv[2], durability: process.argv[3] })
try {
  await backend.open()
  const last = (await backend.head('a'))?.last ?? 0
  const event = { seq: last + 1, id: `id-${last + 1}`, type: 'Noted', v: 1, at: 0 }
  await backend.append('a', { last, incarnation: 'x' }, [event], null)
  console.log('open')
} catch (error) {
  console.log(error.code ?? error.message)
}
process.stdin.resume() // until it is killed
