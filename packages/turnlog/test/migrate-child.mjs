// Migrates a directory and is killed on the way: after so many steps by itself, or whenever its parent likes.
import fs from 'node:fs'
import { openStore } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/importers'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'

const [name, path, directory, killAfterSteps] = process.argv.slice(2)
let stepsLeft = Number(killAfterSteps)

function step() {
  stepsLeft--
  if (stepsLeft === 0) process.kill(process.pid, 'SIGKILL')
}

function withSteps(owner, method) {
  const original = owner[method]
  owner[method] = async function (...args) {
    step()
    const result = await original.apply(this, args)
    step()
    return result
  }
}

const backend = name === 'leveldb' ? leveldbBackend({ path }) : jsonlBackend({ path })
const store = await openStore(backend)
withSteps(backend, 'append')
withSteps(fs.promises, 'rename')
withSteps(fs.promises, 'open')
process.stdout.write('started\n')
await migrateDirectory(store, directory)
await store.close()
process.stdout.write(`finished ${Number(killAfterSteps) - stepsLeft}\n`)
