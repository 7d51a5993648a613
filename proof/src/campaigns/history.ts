import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { History, HistoryCall } from '../child/history-main.ts'
import type { BackendName } from '../child/make-backend.ts'
import { startChild } from '../machine/start-child.ts'

/** Recorded histories of many clients, checked for one order that explains all of them. */
export const history: Campaign = {
  name: 'history',
  title: 'Histories of concurrent writers and readers, checked for linearizability',
  async run(context) {
    return Promise.all(context.backends.map((backend) => checkBackend(context, backend)))
  },
}

async function checkBackend(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const directory = context.directory({ inMemory: true })
  const count = context.attempts(6, 60)
  const violations: string[] = []
  const hasTime = context.budget()
  let calls = 0
  let index = 0
  for (; index < count && hasTime(); index++) {
    const seed = context.random.seed()
    const path = join(directory, `${backend}-${index}`)
    const output = `${path}.history`
    const shape = { sessions: context.random.integer(1, 4), clients: context.random.integer(2, 24), calls: 100 }
    const { code, errorText } = await startChild('history', { backend, path, seed, output, ...shape }).ended
    if (code !== 0) violations.push(`${backend}, seed ${seed}: the process ended with ${code}: ${errorText}`)
    else {
      const recorded = JSON.parse(readFileSync(output, 'utf8')) as History
      calls += recorded.calls.length
      for (const problem of checkHistory(recorded)) violations.push(`${backend}, seed ${seed}: ${problem}`)
    }
    for (const leftover of [path, output]) rmSync(leftover, { recursive: true, force: true })
    if (index % 50 === 49) context.progress(`${backend}: ${index + 1} of ${count} histories`)
  }
  return {
    campaign: 'history',
    backend,
    promise:
      'Calls of concurrent writers and readers take effect one after the other, each between its call and its answer',
    attempts: index,
    unit: 'histories',
    violations,
    note: `${calls} calls`,
  }
}

/**
 * Versions give the order: a write is at the version it returned, a read at the version it saw. The order explains the
 * history if it agrees with real time and if every read saw just what was written up to its version.
 */
export function checkHistory({ calls, logs }: History): readonly string[] {
  const problems: string[] = []
  for (const [key, log] of Object.entries(logs)) {
    const own = calls.filter((call) => call.key === key)
    problems.push(...checkContents(key, own, log), ...checkRealTime(key, own))
  }
  return problems
}

function checkContents(key: string, calls: readonly HistoryCall[], log: History['logs'][string]): string[] {
  const problems: string[] = []
  for (const [index, [seq]] of log.entries())
    if (seq !== index + 1) problems.push(`${key}: event ${index + 1} is ${seq}`)
  const ids = log.map(([, id]) => id)
  let written = 0
  for (const call of calls) {
    const from = call.kind === 'write' ? call.version - call.ids.length : 0
    const expected = ids.slice(from, call.version)
    if (call.kind === 'write') written += call.ids.length
    if (expected.length === call.ids.length && expected.every((id, index) => id === call.ids[index])) continue
    problems.push(`${key}: a ${call.kind} at version ${call.version} does not agree with the log`)
  }
  if (written !== ids.length)
    problems.push(`${key}: ${written} messages were acknowledged, ${ids.length} are in the log`)
  return problems
}

/** Whatever began after an answer was given comes later in the order: a write strictly, a read at least as late. */
function checkRealTime(key: string, calls: readonly HistoryCall[]): string[] {
  const problems: string[] = []
  const byEnd = calls.toSorted((a, b) => a.ended - b.ended)
  let answered = 0
  let latest = 0
  for (const call of calls.toSorted((a, b) => a.began - b.began)) {
    for (let next = byEnd[answered]; next !== undefined && next.ended < call.began; next = byEnd[++answered]) {
      latest = Math.max(latest, next.version)
    }
    const isLate = call.kind === 'write' ? call.version - call.ids.length < latest : call.version < latest
    if (isLate)
      problems.push(`${key}: a ${call.kind} at version ${call.version} began after version ${latest} was answered`)
  }
  return problems
}
