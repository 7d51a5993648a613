import { leveldbBackend } from '@turnlog/leveldb-backend'

const [, , path, durability] = process.argv
const backend = leveldbBackend({ path, durability, writeBufferBytes: 128 * 1024 })
await backend.open()

async function appendForever(session) {
  for (;;) {
    const last = (await backend.head(session))?.last ?? 0
    const events = [1, 2, 3].map((step) => ({
      seq: last + step,
      id: `${session}-${last + step}`,
      type: 'Noted',
      v: 1,
      at: 0,
      pad: 'x'.repeat(((last + step) * 97) % 700),
    }))
    const trimBefore = last % 90 === 0 && last > 0 ? last - 30 : undefined
    await backend.append(session, { last, incarnation: 'x' }, events, { last }, trimBefore ? { trimBefore } : {})
    process.stdout.write(`${session} ${last + 3}\n`)
  }
}

await Promise.all(['a', 'b', 'c', 'd'].map(appendForever))
