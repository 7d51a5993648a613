import type { Command } from 'commander'
import type { Act } from '../context/act.ts'

type MakeCommand = (act: Act) => Command

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  list: async () => (await import('./list.ts')).listCommand,
  show: async () => (await import('./show.ts')).showCommand,
  log: async () => (await import('./log.ts')).logCommand,
  diff: async () => (await import('./diff.ts')).diffCommand,
  tail: async () => (await import('./tail.ts')).tailCommand,
  stats: async () => (await import('./stats.ts')).statsCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  repair: async () => (await import('./repair.ts')).repairCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  add: async () => (await import('./add.ts')).addCommand,
  truncate: async () => (await import('./truncate.ts')).truncateCommand,
  summarize: async () => (await import('./summarize.ts')).summarizeCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  fork: async () => (await import('./fork.ts')).forkCommand,
  rm: async () => (await import('./remove.ts')).removeCommand,
  compact: async () => (await import('./compact.ts')).compactCommand,
  expire: async () => (await import('./expire.ts')).expireCommand,
  copy: async () => (await import('./copy.ts')).copyCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  conformance: async () => (await import('./conformance.ts')).conformanceCommand,
}

/** Other names of commands, as they say themselves. */
const ALIASES: Readonly<Record<string, string>> = { ls: 'list' }

const HELP = new Set(['help', '-h', '--help'])
const VERSION = new Set(['-V', '--version'])

/**
 * The commands that a line names, because loading all of them takes longer than most of them run. Help on everything
 * and corrections of a wrong name need all.
 */
export function loadCommands(args: readonly string[]): Promise<MakeCommand[]> {
  if (VERSION.has(args[0] ?? '')) return Promise.resolve([])
  const words = args.map((arg) => (Object.hasOwn(ALIASES, arg) ? (ALIASES[arg] ?? arg) : arg))
  const isHelp = HELP.has(words.find((word) => HELP.has(word) || Object.hasOwn(COMMANDS, word)) ?? '')
  const named = Object.keys(COMMANDS).filter((name) => words.includes(name))
  const wanted = isHelp || named.length === 0 ? Object.keys(COMMANDS) : named
  return Promise.all(wanted.map((name) => (COMMANDS[name] as () => Promise<MakeCommand>)()))
}
