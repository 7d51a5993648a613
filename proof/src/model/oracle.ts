import { Lane } from './lane.ts'
import type { Retry } from './operation.ts'
import { readJournal } from './read-journal.ts'

export interface Episode {
  readonly violations: readonly string[]
  readonly acknowledged: number
  /** Calls of an earlier life that were made again with their id. */
  readonly repeated: number
  readonly refusal: { readonly code: string; readonly message: string } | undefined
  readonly failures: number
  readonly findings: readonly string[]
  /** The last call of all was refused. */
  readonly endsInFailure: boolean
  readonly isReady: boolean
  readonly isClosed: boolean
}

/** Holds what was acknowledged, over many lives of one store, and judges what each next life sees. */
export class Oracle {
  readonly #lanes = new Map<string, Lane>()

  /** Reads the journal of one child, which has ended. A journal may end in half a line: that was never said. */
  judge(journal: string): Episode {
    const violations: string[] = []
    const findings: string[] = []
    const note = (key: string, problem: string | undefined): void => {
      if (problem !== undefined) violations.push(`${key}: ${problem}`)
    }
    let acknowledged = 0
    let repeated = 0
    let failures = 0
    let refusal: Episode['refusal']
    let endsInFailure = false
    let isReady = false
    let isClosed = false
    for (const record of readJournal(journal)) {
      switch (record.t) {
        case 'opened':
          findings.push(...record.findings)
          break
        case 'refused':
          refusal = { code: record.code, message: record.message }
          break
        case 'begin':
          if (record.again !== undefined) repeated++
          this.#lane(record.key).begin(record)
          break
        case 'done':
          acknowledged++
          endsInFailure = false
          note(record.key, this.#lane(record.key).done(record.n, record.version))
          break
        case 'failed':
          failures++
          endsInFailure = true
          if (record.code === 'untyped') violations.push(`${record.key}: an untyped error: ${record.message}`)
          note(record.key, this.#lane(record.key).failed(record.n, record.code))
          break
        case 'saw':
          note(record.key, this.#lane(record.key).saw(record.sight, record.log))
          break
        case 'blind':
          violations.push(`${record.key}: cannot be read: ${record.code}: ${record.message}`)
          break
        case 'listed':
          violations.push(...this.#judgeList(record.keys))
          break
        case 'verified':
          for (const problem of record.problems) violations.push(`verify: ${problem}`)
          break
        case 'ready':
          isReady = true
          break
        case 'closed':
          isClosed = true
          break
        case 'unclosed':
          if (record.code === 'untyped') violations.push(`close: an untyped error: ${record.message}`)
      }
    }
    for (const lane of this.#lanes.values()) lane.crash()
    return { violations, acknowledged, repeated, refusal, failures, findings, endsInFailure, isReady, isClosed }
  }

  /** What the next life has to repeat: the calls that the last one made and nobody answered. */
  retries(): readonly Retry[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.retries)
  }

  #judgeList(keys: readonly string[]): string[] {
    const listed = new Set(keys)
    const wrong: string[] = []
    for (const [key, lane] of this.#lanes) {
      if (lane.mustExist && !listed.has(key)) wrong.push(`${key}: exists and is not listed`)
      if (!lane.mayExist && listed.has(key)) wrong.push(`${key}: is listed and does not exist`)
    }
    for (const key of keys) if (!this.#lanes.has(key)) wrong.push(`${key}: is listed and was never made`)
    return wrong
  }

  #lane(key: string): Lane {
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = new Lane()
      this.#lanes.set(key, lane)
    }
    return lane
  }
}
