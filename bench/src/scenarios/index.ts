import { agentScenarios } from './agent.ts'
import { appendScenarios } from './append.ts'
import { blockingScenario } from './blocking.ts'
import { coreScenario } from './core.ts'
import { growthScenario } from './growth.ts'
import { historyScenarios } from './history.ts'
import { importScenario } from './import.ts'
import { migrateScenario } from './migrate.ts'
import type { Scenario } from './scenario.ts'
import { sealingScenario } from './sealing.ts'
import { sessionsScenarios } from './sessions.ts'
import { sweeperScenario } from './sweeper.ts'
import { truncatedScenario } from './truncated.ts'

export const scenarios: readonly Scenario[] = [
  ...appendScenarios,
  sealingScenario,
  ...historyScenarios,
  truncatedScenario,
  ...agentScenarios,
  ...sessionsScenarios,
  coreScenario,
  importScenario,
  migrateScenario,
  sweeperScenario,
  blockingScenario,
  growthScenario,
]
