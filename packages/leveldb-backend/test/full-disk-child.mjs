import { once } from 'node:events'

import { leveldbBackend } from '@turnlog/leveldb-backend'

process.on('SIGXFSZ', () => {}) // then the write fails with EFBIG instead
const backend = leveldbBackend({ path: process.argv[2] })
await backend.open()
let last = 0
const codes = new Set()

async function append() {
  const event = { seq: last + 1, id: `id-${last + 1}`, type: 'Noted', v: 1, at: 0, pad: 'x'.repeat(1000) }
  try {
    await backend.append('a', { last, incarnation: 'x' }, [event], { last })
    last++
    return true
  } catch (error) {
    codes.add(error.code)
    return false
  }
}

async function readsAll() {
  let count = 0
  for await (const batch of backend.read('a', [{ from: 1, to: last + 10 }])) count += batch.length
  return count === last && (await backend.head('a')).last === last
}

async function told(word) {
  console.log(word)
  await once(process.stdin, 'data')
}

for (let count = 0; count < 50; count++) await append()
await told('ready')
const readsWhileFailing = []
while (readsWhileFailing.length < 20) if (!(await append())) readsWhileFailing.push(await readsAll())
await told('failing')
for (let count = 0; count < 500; count++) await append()
console.log(JSON.stringify({ last, codes: [...codes], readsWhileFailing }))
process.exit()
