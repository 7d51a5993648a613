import type { Contestant } from '../contestants/contestant.ts'
import { alternate, roundsOf } from '../timing/alternate.ts'
import type { Slice } from '../timing/slice.ts'
import type { Entrant } from './entrant.ts'
import { enter } from './entrant.ts'
import type { Absent, Scale, Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

export interface Competition extends Omit<Scenario, 'run'> {
  readonly contestants: readonly Contestant[]
  readonly rounds: Readonly<Record<Scale, number>>
  /** Rounds before the first that counts. @default 1 */
  warmUp?(scale: Scale): number
  /** Untimed, once. A contestant that cannot do what the scenario asks says so by returning a reason. */
  setUp?(entrant: Entrant, context: ScenarioContext): Promise<string | undefined>
  /** Untimed, before each slice. */
  prepare?(entrant: Entrant, context: ScenarioContext, round: number): Promise<void> | void
  slice(entrant: Entrant, context: ScenarioContext, round: number): Promise<Slice>
  /** After the last round; throws if what was acknowledged is not there. @default everything in order */
  verify?(entrant: Entrant, context: ScenarioContext): Promise<void>
}

/** A scenario in which contestants do the same, in turns. */
export function compete(competition: Competition): Scenario {
  const { id, title, about, durability, unit, base } = competition
  return {
    id,
    title,
    about,
    durability,
    unit,
    base,
    takesBuilds: true,
    run: async (context): Promise<ScenarioResult> => {
      const { entrants, absent } = await enter(context, competition.contestants, durability)
      const ready = await setUpAll(competition, entrants, absent, context)
      const slices = await alternate(
        ready.map((entrant) => ({
          id: entrant.id,
          prepare: (round) => competition.prepare?.(entrant, context, round),
          slice: (round) => competition.slice(entrant, context, round),
        })),
        roundsOf(competition.rounds, context.scale, competition.warmUp?.(context.scale)),
      )
      const credited = await verifyAll(competition, ready, absent, context)
      const measured = credited.map((entrant) => ({
        id: entrant.id,
        label: entrant.contestant.label,
        note: entrant.contestant.note,
        diskBytes: entrant.diskBytes(),
      }))
      return { id, title, about, durability, unit, base, measurements: summariseSlices(measured, slices, base), absent }
    },
  }
}

async function setUpAll(
  competition: Competition,
  entrants: readonly Entrant[],
  absent: Absent[],
  context: ScenarioContext,
): Promise<Entrant[]> {
  const ready: Entrant[] = []
  for (const entrant of entrants) {
    const reason = await competition.setUp?.(entrant, context)
    if (reason === undefined) ready.push(entrant)
    else {
      absent.push({ label: entrant.contestant.label, reason })
      await entrant.close()
    }
  }
  return ready
}

async function verifyAll(
  competition: Competition,
  entrants: readonly Entrant[],
  absent: Absent[],
  context: ScenarioContext,
): Promise<Entrant[]> {
  const credited: Entrant[] = []
  for (const entrant of entrants) {
    try {
      await (competition.verify === undefined ? entrant.verify() : competition.verify(entrant, context))
      credited.push(entrant)
    } catch (error) {
      const what = error instanceof Error ? error.message : 'unknown'
      absent.push({ label: entrant.contestant.label, reason: `not credited: ${what}` })
    } finally {
      await entrant.close()
    }
  }
  return credited
}
