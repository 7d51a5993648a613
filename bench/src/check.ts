import type { ScenarioResult } from './scenarios/scenario.ts'
import { pairedRatio } from './timing/statistics.ts'

/** A ratio that must hold. All of them are paired by round and measured in one run. */
export interface Goal {
  readonly id: string
  readonly title: string
  readonly scenario: string
  /** `least`: at least so much; `most`: at most. */
  readonly bound: { readonly least: number } | { readonly most: number }
  /** The two contestants of a ratio. A figure belongs to its scenario alone. */
  readonly contestants?: readonly [string, string]
  readonly measure: (result: ScenarioResult) => number | undefined
}

/** What a run was asked to measure; only that is judged. */
export interface Asked {
  readonly scenarios: readonly string[]
  /** @default all that take part */
  readonly contestants?: readonly string[]
}

export interface Checked {
  readonly id: string
  readonly title: string
  readonly scenario: string
  readonly bound: Goal['bound']
  /** `undefined` if it was not measured, which is no pass. */
  readonly value: number | undefined
  readonly isMet: boolean
}

/** Throughput of one contestant in terms of another. */
function speed(scenario: string, of: string, against: string, least: number, title: string): Goal {
  return {
    id: `${scenario}: ${of} / ${against}`,
    title,
    scenario,
    bound: { least },
    contestants: [of, against],
    measure: (result) => ratioOf(result, of, against),
  }
}

/** Time of one contestant in terms of another. */
function cost(scenario: string, of: string, against: string, most: number, title: string): Goal {
  return {
    id: `${scenario}: ${of} / ${against}`,
    title,
    scenario,
    bound: { most },
    contestants: [of, against],
    measure: (result) => ratioOf(result, against, of),
  }
}

function figure(scenario: string, name: string, most: number, title: string): Goal {
  return {
    id: `${scenario}: ${name}`,
    title,
    scenario,
    bound: { most },
    measure: (result) => result.figures?.[name],
  }
}

function ratioOf({ measurements }: ScenarioResult, of: string, against: string): number | undefined {
  const numerator = measurements.find(({ contestant }) => contestant === of)
  const denominator = measurements.find(({ contestant }) => contestant === against)
  if (numerator === undefined || denominator === undefined) return undefined
  return pairedRatio(numerator.rounds, denominator.rounds)
}

export const goals: readonly Goal[] = [
  speed('append-1', 'leveldb', 'raw-one-hop', 0.8, 'LevelDB, one caller, against a raw O_DSYNC write'),
  speed('append-1', 'leveldb', 'metadata-rewrite', 2.5, 'LevelDB, one caller, against append + fsync + metadata'),
  speed('append-64-sessions', 'leveldb', 'sqlite-full', 8, 'LevelDB, 64 callers on 64 sessions, against SQLite'),
  speed('append-64-sessions', 'leveldb', 'sqlite-grouped', 1.4, 'LevelDB, 64 on 64, against grouped SQLite'),
  speed(
    'append-64-sessions',
    'leveldb',
    'metadata-rewrite',
    30,
    'LevelDB, 64 on 64, against append + fsync + metadata',
  ),
  speed('append-64-sessions', 'leveldb', 'shared-log', 0.6, 'LevelDB, 64 on 64, against a bare shared log'),
  speed('append-64-one', 'leveldb', 'sqlite-full', 7, 'LevelDB, 64 callers on one session, against SQLite'),
  cost(
    'sealing',
    'leveldb-sealed',
    'leveldb-unsealed',
    1.06,
    'LevelDB, one caller, appends that seal, against single rows',
  ),
  speed('history-100-cold', 'leveldb', 'bare-level', 0.8, 'LevelDB, cold read of 100, against bare LevelDB'),
  speed('history-1000-cold', 'leveldb', 'bare-level', 0.8, 'LevelDB, cold read of 1,000, against bare LevelDB'),
  speed('history-10000-cold', 'leveldb', 'bare-level', 0.8, 'LevelDB, cold read of 10,000, against bare LevelDB'),
  speed('history-100-cold', 'leveldb', 'sqlite-full', 0.7, 'LevelDB, cold read of 100, against SQLite'),
  speed('history-1000-cold', 'leveldb', 'sqlite-full', 1, 'LevelDB, cold read of 1,000, against SQLite'),
  speed('history-10000-cold', 'leveldb', 'sqlite-full', 1.1, 'LevelDB, cold read of 10,000, against SQLite'),
  cost(
    'truncated',
    'leveldb-truncated',
    'leveldb-fresh',
    1.2,
    'LevelDB, cold read after 100 truncations, against fresh',
  ),
  figure('growth', 'appendCost', 1.5, 'LevelDB, append to sessions in use, large store against small'),
  figure('growth', 'coldAppendCost', 1.5, 'LevelDB, append to sessions not in memory, large store against small'),
  figure('growth', 'listCost', 3, 'LevelDB, list of all sessions, against a bare iteration'),
  figure('growth', 'anonymousMiB', 150, 'LevelDB, growth of anonymous memory in MiB'),
  figure('growth', 'diskShare', 0.8, 'LevelDB, disk after compaction, against the JSON bytes'),
  figure('growth', 'openAfterKillCost', 2, 'LevelDB, open after kill -9, against bare LevelDB'),
  figure('blocking', 'leveldbMs', 50, 'LevelDB, longest block of the event loop in ms'),
  speed('append-1', 'jsonl', 'raw-one-hop', 0.8, 'JSONL, one caller, against a raw O_DSYNC write'),
  speed('append-64-one', 'jsonl', 'shared-log', 0.75, 'JSONL, 64 callers on one session, against a bare shared log'),
  speed('append-64-one', 'jsonl', 'sqlite-full', 7, 'JSONL, 64 callers on one session, against SQLite'),
  speed('append-64-sessions', 'jsonl', 'sqlite-full', 1.4, 'JSONL, 64 callers on 64 sessions, against SQLite'),
  speed('history-1000-cold', 'jsonl', 'sqlite-full', 0.5, 'JSONL, cold read of 1,000, against SQLite'),
  speed(
    'history-1000-cold',
    'jsonl',
    'read-split-parse',
    1.3,
    'JSONL, cold read of 1,000, against readFile + split + parse',
  ),
  cost('core', 'add-message', 'structured-clone', 6, 'Core, addMessage in memory, against structuredClone'),
  cost('core', 'get-history', 'slice', 3, 'Core, warm getHistory of 1,000, against slice()'),
  cost(
    'core',
    'add-and-get-at-10000',
    'add-and-slice-at-10000',
    1.15,
    'Core, addMessage + getHistory at 10,000, against addMessage + slice()',
  ),
  figure('import', 'turnlogCost', 1.2, 'import of turnlog beyond bare Node, against @turnlog/core'),
  speed(
    'migrate',
    'leveldb-migrated',
    'leveldb-direct',
    0.5,
    'Migration to LevelDB, against writing the same directly',
  ),
  speed('migrate', 'jsonl-migrated', 'jsonl-direct', 0.5, 'Migration to JSONL, against writing the same directly'),
  ...['memory', 'leveldb', 'jsonl'].flatMap((backend) => [
    figure('sweeper', `${backend} without pause`, 2, `p99 of addMessage beside a busy sweeper, ${backend}, no pause`),
    figure('sweeper', `${backend} every 3 ms`, 2, `p99 of addMessage beside a busy sweeper, ${backend}, every 3 ms`),
  ]),
]

/** Judges what was asked for and nothing else. What was asked for and not measured is not met. */
export function check(results: readonly ScenarioResult[], asked: Asked): Checked[] {
  return goals
    .filter((goal) => isAsked(goal, asked))
    .map(({ id, title, scenario, bound, measure }) => {
      const result = results.find((candidate) => candidate.id === scenario)
      const measured = result === undefined ? undefined : measure(result)
      const value = measured === undefined || Number.isNaN(measured) ? undefined : measured
      const isMet = value !== undefined && ('least' in bound ? value >= bound.least : value <= bound.most)
      return { id, title, scenario, bound, value, isMet }
    })
}

function isAsked({ scenario, contestants: both }: Goal, { scenarios, contestants }: Asked): boolean {
  if (!scenarios.includes(scenario)) return false
  return contestants === undefined || both === undefined || both.every((id) => contestants.includes(id))
}
