import { sqliteBackend } from '@turnlog/sqlite-backend'

import { DRIVER } from './target.mjs'

// Leaves a log behind: three appends to one session, then it is killed without closing.
const backend = sqliteBackend({ path: process.argv[2], worker: false, ...DRIVER })
await backend.open()
for (let seq = 1; seq <= 3; seq++) {
  const event = { seq, id: `id-${seq}`, type: 'Noted', v: 1, at: 0, text: `event number ${seq}` }
  await backend.append('s', { last: seq - 1, incarnation: 'x' }, [event], null)
}
process.kill(process.pid, 'SIGKILL')
