import { fileURLToPath } from 'node:url'

import { describe, expect, test } from 'vitest'

import { check, goals } from '../src/check.ts'
import type { Contestant } from '../src/contestants/contestant.ts'
import { countSyncs } from '../src/count-syncs.ts'
import { MessageGenerator } from '../src/message-generator.ts'
import { compareBuilds } from '../src/report/comparison.ts'
import { describeMachine } from '../src/report/machine.ts'
import { page } from '../src/report/page.ts'
import { picture } from '../src/report/picture.ts'
import type { Report } from '../src/report/report.ts'
import { scenarioTable } from '../src/report/tables.ts'
import { runScenario } from '../src/run-scenario.ts'
import { compete } from '../src/scenarios/compete.ts'
import { scenarios } from '../src/scenarios/index.ts'
import type { Scenario, ScenarioResult } from '../src/scenarios/scenario.ts'
import { alternate, turnsOf } from '../src/timing/alternate.ts'
import type { Subject } from '../src/timing/alternate.ts'
import { timeSequence } from '../src/timing/slice.ts'
import { medianError, pairedRatio } from '../src/timing/statistics.ts'

const tiny = { scale: 'tiny', seed: 7 } as const

function scenarioOf(id: string): Scenario {
  const found = scenarios.find((scenario) => scenario.id === id)
  if (found === undefined) throw new Error(`no scenario ${id}`)
  return found
}

function reportOf(results: readonly ScenarioResult[]): Report {
  return {
    date: '2026-01-01T00:00:00.000Z',
    scale: 'tiny',
    seed: 7,
    machine: describeMachine(),
    scenarios: results,
    checks: check(results, { scenarios: results.map(({ id }) => id) }),
    syncs: [],
    failures: [],
  }
}

/** Keeps messages in memory, except that `lose` may drop one. */
function forgetful(id: string, lose: (count: number) => boolean): Contestant {
  return {
    id,
    label: id,
    durability: 'none',
    open: async () => {
      const kept: object[] = []
      let count = 0
      return {
        append: async (_, message) => {
          if (!lose(++count)) kept.push(message)
        },
        read: async () => kept as never,
        close: async () => undefined,
      }
    },
  }
}

function appendOne(contestants: readonly Contestant[]): Scenario {
  return compete({
    id: 'trial',
    title: 'Trial',
    about: 'A trial.',
    durability: 'none',
    unit: 'messages/s',
    base: 'honest',
    contestants,
    rounds: { full: 2, quick: 2, tiny: 2 },
    slice: (entrant, { seed }) => {
      const messages = new MessageGenerator(seed).take(5)
      return timeSequence(5, (index) => entrant.append('s', messages[index] ?? { role: 'user' }))
    },
  })
}

describe('the harness', () => {
  test('measures the memory backend and reports it as table, page and picture', async () => {
    const result = await runScenario(scenarioOf('append-memory'), tiny)
    const [measurement] = result.measurements
    expect(measurement?.contestant).toBe('memory')
    expect(measurement?.perSecond).toBeGreaterThan(0)
    expect(measurement?.ratio).toBe(1)
    expect(measurement?.rounds).toHaveLength(1)
    expect(scenarioTable(result)).toContain('turnlog memory')
    const report = reportOf([result])
    expect(page(report)).toContain('id="append-memory"')
    expect(picture(report)).toContain('<svg xmlns')
  })

  test('judges the ratios of the core scenario', async () => {
    const result = await runScenario(scenarioOf('core'), tiny)
    const judged = check([result], { scenarios: ['core'] })
    expect(judged.map(({ scenario, value }) => [scenario, typeof value])).toEqual([
      ['core', 'number'],
      ['core', 'number'],
      ['core', 'number'],
    ])
  })

  test('does not count a ratio as met that was asked for and not measured', () => {
    const judged = check([], { scenarios: goals.map(({ scenario }) => scenario) })
    expect(judged).toHaveLength(goals.length)
    expect(judged.every(({ isMet, value }) => !isMet && value === undefined)).toBe(true)
  })

  test('judges nothing that was not asked for', () => {
    expect(check([], { scenarios: ['core'] }).map(({ scenario }) => scenario)).toEqual(['core', 'core', 'core'])
    expect(check([], { scenarios: ['append-1'], contestants: ['jsonl', 'raw-one-hop'] }).map(({ id }) => id)).toEqual([
      'append-1: jsonl / raw-one-hop',
    ])
  })

  test('measures another build beside this one and compares the two', async () => {
    const checkout = fileURLToPath(new URL('../..', import.meta.url))
    const result = await runScenario(scenarioOf('append-memory'), { ...tiny, against: checkout })
    expect(result.measurements.map(({ contestant }) => contestant)).toEqual(['memory', 'memory-before'])
    const [comparison] = compareBuilds([result])
    expect(comparison).toMatchObject({ scenario: 'append-memory', contestant: 'memory' })
  })

  test('calls a build worse only if it is slower beyond the error of the measurement', () => {
    const compared = (now: number[], before: number[]): boolean | undefined => {
      const both = { memory: now, 'memory-before': before }
      const measurements = Object.entries(both).map(([contestant, rounds]) => ({ contestant, rounds }))
      return compareBuilds([{ id: 'x', measurements } as unknown as ScenarioResult])[0]?.isWorse
    }
    expect(compared([90, 90, 90], [100, 100, 100])).toBe(true)
    expect(compared([97, 97, 97], [100, 100, 100])).toBe(false)
    expect(compared([60, 93, 130], [100, 100, 100])).toBe(false)
  })

  test.each(['import', 'migrate'])('runs the scenario %s', async (id) => {
    const result = await runScenario(scenarioOf(id), tiny)
    expect(check([result], { scenarios: [id] }).filter(({ value }) => value === undefined)).toEqual([])
  })

  test('runs the scenario sweeper', async () => {
    const result = await runScenario(scenarioOf('sweeper'), { ...tiny, only: ['memory'] })
    expect(Object.keys(result.figures ?? {})).toEqual(['memory without pause', 'memory every 3 ms'])
  })

  test('does not credit a contestant that lost what it acknowledged', async () => {
    const contestants = [forgetful('honest', () => false), forgetful('forgetful', (count) => count === 12)]
    const result = await runScenario(appendOne(contestants), tiny)
    expect(result.measurements.map(({ contestant }) => contestant)).toEqual(['honest'])
    expect(result.absent).toEqual([
      { label: 'forgetful', reason: 'not credited: forgetful holds 14 messages of s, but acknowledged 15' },
    ])
  })

  test('refuses to put contestants of different durability into one scenario', async () => {
    const durable: Contestant = { ...forgetful('durable', () => false), durability: 'sync' }
    await expect(runScenario(appendOne([durable]), tiny)).rejects.toThrow('does not promise none')
  })

  test('has a scenario for every goal, and no two scenarios of one name', () => {
    const ids = scenarios.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { scenario } of goals) expect(ids).toContain(scenario)
  })
})

describe('the parts', () => {
  test('the generator gives the same messages for the same seed, about 1 KB each', () => {
    const messages = new MessageGenerator(3).take(2000)
    expect(new MessageGenerator(3).take(2000)).toEqual(messages)
    const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0)
    expect(bytes / messages.length).toBeGreaterThan(800)
    expect(bytes / messages.length).toBeLessThan(1300)
    // eslint-disable-next-line no-control-regex -- everything beyond ASCII is meant
    expect(messages.some((message) => /[^\x00-\x7f]/.test(JSON.stringify(message)))).toBe(true)
  })

  test('a paired ratio ignores a disturbance that hits both of a round', () => {
    expect(pairedRatio([100, 10, 100], [50, 5, 50])).toBe(2)
  })

  test.each([2, 5, 8])('each of %d contestants comes after every other equally often', (subjects) => {
    const followers = new Map<string, number>()
    for (let round = 0; round < 2 * subjects; round++) {
      const turns = turnsOf(subjects, round)
      expect([...turns].sort((a, b) => a - b)).toEqual(Array.from({ length: subjects }, (_, index) => index))
      for (const [turn, subject] of turns.slice(1).entries()) {
        const pair = `${turns[turn]} before ${subject}`
        followers.set(pair, (followers.get(pair) ?? 0) + 1)
      }
    }
    expect(followers.size).toBe(subjects * (subjects - 1))
    expect(new Set(followers.values())).toEqual(new Set([2]))
  })

  test('rounds go on while a ratio is uncertain, and end when it is or when there have been enough', async () => {
    const subject = (id: string, elapsedMs: (round: number) => number): Subject => ({
      id,
      slice: async (round) => ({ operations: 1, elapsedMs: elapsedMs(round), cpuMs: 0, latenciesMs: [] }),
    })
    const steady = subject('base', () => 1)
    const rounds = { least: 5, most: 40 }
    const restless = await alternate([steady, subject('restless', (round) => (round % 2 === 0 ? 1 : 3))], rounds)
    expect(restless.get('restless')).toHaveLength(40)
    const settling = await alternate([steady, subject('settling', (round) => (round % 4 === 0 ? 1.3 : 1))], rounds)
    expect(settling.get('settling')?.length).toBeLessThan(40)
    expect((await alternate([steady], rounds)).get('base')).toHaveLength(5)
  })

  test('the error of a median is a share of it and falls with the number of rounds', () => {
    const few = [8, 9, 10, 11, 12]
    expect(medianError(few)).toBeGreaterThan(medianError([...few, ...few, ...few, ...few]))
    expect(medianError(few)).toBeCloseTo(medianError(few.map((value) => value * 7)))
    expect(medianError([5, 5, 5])).toBe(0)
  })

  test('syncs are counted between the marks, synced writes included', () => {
    const trace = `
10 openat(AT_FDCWD, "/s/log", O_WRONLY|O_CREAT|O_DSYNC|O_CLOEXEC, 0666 <unfinished ...>
11 openat(AT_FDCWD, "/s/other", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 22
10 <... openat resumed>) = 21
11 fdatasync(22) = 0
10 access("/turnlog-bench-begin", F_OK) = -1 ENOENT (No such file or directory)
11 write(21, "a", 1) = 1
11 write(22, "a", 1) = 1
12 fdatasync(22 <unfinished ...>
12 <... fdatasync resumed>) = 0
10 access("/turnlog-bench-end", F_OK) = -1 ENOENT (No such file or directory)
11 fsync(22) = 0`
    expect(countSyncs(trace)).toBe(2)
  })
})
