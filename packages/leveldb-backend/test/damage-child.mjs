import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'

async function contents(path) {
  const backend = leveldbBackend({ path })
  const report = await backend.open()
  try {
    const sessions = {}
    for await (const heads of backend.list()) {
      for (const head of heads) {
        const events = []
        for await (const batch of backend.read(head.session, [{ from: 1, to: head.last }])) events.push(...batch)
        sessions[head.session] = { head, events }
      }
    }
    return { report, text: JSON.stringify(sessions) }
  } finally {
    await backend.close()
  }
}

function damage(file, { kind, at, bit }) {
  if (kind === 'delete') rmSync(file)
  else if (kind === 'cut') truncateSync(file, at)
  else {
    const bytes = readFileSync(file)
    bytes[at] ^= 1 << bit
    writeFileSync(file, bytes)
  }
}

async function judge({ base, work, want }, fault) {
  rmSync(work, { recursive: true, force: true })
  cpSync(base, work, { recursive: true })
  const file = join(work, fault.file)
  damage(file, fault)
  const before = existsSync(file) ? readFileSync(file) : undefined
  try {
    const { report, text } = await contents(work)
    if (text === want) return 'same'
    return report.findings.some(({ kind }) => kind === 'torn-tail') ? 'torn-tail' : 'SILENT'
  } catch (error) {
    if (error.code !== 'CORRUPT') return `${error.code ?? 'bare'}: ${error.message}`
    const isKept = before === undefined || (existsSync(file) && readFileSync(file).equals(before))
    return isKept ? 'CORRUPT' : 'CORRUPT, but the damaged file was changed'
  }
}

process.on('message', (task) => {
  void judgeAll(task)
})

async function judgeAll(task) {
  for (const [index, fault] of task.faults.entries()) {
    process.send({ index, begins: true })
    process.send({ index, result: await judge(task, fault) })
  }
  process.disconnect()
}
