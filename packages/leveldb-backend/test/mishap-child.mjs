import { mkdirSync, readdirSync, readlinkSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'

const [, , path, mishap] = process.argv
const lock = join(path, 'turnlog.lock')

/** What this process has open there, and every socket, which does not say where it is. */
function openHere() {
  const targets = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return '' // the listing itself was one of them
    }
  })
  return targets.filter((target) => target.startsWith(path) || target.startsWith('socket:'))
}

const before = openHere()
const backend = leveldbBackend({ path })
await backend.open()
if (mishap === 'moved') renameSync(path, `${path}-moved`)
if (mishap === 'not removed') {
  renameSync(lock, `${lock}-aside`)
  mkdirSync(lock)
}
const code = await backend.close().then(
  () => 'closed',
  (error) => error.code,
)
if (mishap === 'not removed') {
  rmdirSync(lock)
  renameSync(`${lock}-aside`, lock)
}
console.log(`${code}, open since: ${openHere().length - before.length}`)
process.stdin.resume() // until it is killed
