import { mkdtempSync, rmSync } from 'node:fs'
import { release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@turnlog/core'
import type { Check } from './check.ts'

/** What `engines` in package.json says. */
const MIN_NODE = [20, 19] as const

export async function checkEnvironment(version: string): Promise<Check[]> {
  return [
    { name: 'turnlog', status: 'ok', message: version },
    checkNode(process.versions.node),
    checkPlatform(process.platform),
    await checkBackend('leveldb'),
    await checkBackend('jsonl'),
  ]
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
  if (isEnough) return { name: 'node', status: 'ok', message: version }
  const message = `${version} is too old; Turnlog needs ${MIN_NODE.join('.')} or later.`
  return { name: 'node', status: 'problem', message }
}

function checkPlatform(platform: string): Check {
  const message = `${platform} ${process.arch}, ${release()}`
  if (platform !== 'darwin') return { name: 'platform', status: 'ok', message }
  const limit = 'LevelDB does not flush the drive cache on macOS, so "sync" is not safe against power loss there.'
  return { name: 'platform', status: 'notice', message: `${message}. ${limit}` }
}

/** Loads it and lets it work once: a native module that loads may still have been built for another machine. */
async function checkBackend(backend: 'leveldb' | 'jsonl'): Promise<Check> {
  const name = `backend ${backend}`
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-doctor-'))
  try {
    const store = await openStore({ backend, path: join(directory, 'store'), durability: 'os' })
    try {
      await store.addMessage('doctor', 'user', 'Does it work?')
      const { length } = await store.getHistory('doctor')
      if (length !== 1) return { name, status: 'problem', message: 'It loads, but does not keep what it is given.' }
    } finally {
      await store.close()
    }
    return { name, status: 'ok', message: 'loads, writes and reads' }
  } catch (error) {
    return { name, status: 'problem', message: error instanceof Error ? error.message : String(error) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
