import { Command, CommanderError } from 'commander'
import type { Act } from './act.ts'
import { addCommand } from './commands/add.ts'
import { compactCommand } from './commands/compact.ts'
import { CONFORMANCE, conformanceCommand, forwardToConformance } from './commands/conformance.ts'
import { copyCommand } from './commands/copy.ts'
import { diffCommand } from './commands/diff.ts'
import { doctorCommand } from './commands/doctor.ts'
import { expireCommand } from './commands/expire.ts'
import { exportCommand } from './commands/export.ts'
import { forkCommand } from './commands/fork.ts'
import { importCommand } from './commands/import.ts'
import { listCommand } from './commands/list.ts'
import { logCommand } from './commands/log.ts'
import { migrateCommand } from './commands/migrate.ts'
import { removeCommand } from './commands/remove.ts'
import { repairCommand } from './commands/repair.ts'
import { restoreCommand } from './commands/restore.ts'
import { showCommand } from './commands/show.ts'
import { statsCommand } from './commands/stats.ts'
import { summarizeCommand } from './commands/summarize.ts'
import { tailCommand } from './commands/tail.ts'
import { truncateCommand } from './commands/truncate.ts'
import { verifyCommand } from './commands/verify.ts'
import { Context } from './context.ts'
import { EXIT, EXIT_HELP, exitCodeOf } from './exit-code.ts'
import { Terminal } from './output/terminal.ts'
import type { TerminalStreams } from './output/terminal.ts'
import { packageVersion } from './package-version.ts'
import { reportError } from './report-error.ts'

const COMMANDS: readonly ((act: Act) => Command)[] = [
  listCommand,
  showCommand,
  logCommand,
  diffCommand,
  tailCommand,
  statsCommand,
  verifyCommand,
  repairCommand,
  exportCommand,
  importCommand,
  doctorCommand,
  addCommand,
  truncateCommand,
  summarizeCommand,
  restoreCommand,
  forkCommand,
  removeCommand,
  compactCommand,
  expireCommand,
  copyCommand,
  migrateCommand,
  conformanceCommand,
]

/** Runs one command line. @returns the exit code */
export async function run(args: readonly string[], streams: TerminalStreams, signal: AbortSignal): Promise<number> {
  if (args[0] === CONFORMANCE) return forwardToConformance(args.slice(1))
  let exitCode: number = EXIT.ok
  const act: Act = async (command, work) => {
    const context = new Context(command, (noColor) => new Terminal(streams, noColor), signal)
    try {
      exitCode = await work(context)
    } catch (error) {
      exitCode = exitCodeOf(error)
      await context.terminal.flush()
      reportError(context.terminal, error, context.json)
    } finally {
      await context.terminal.flush()
      await context.close()
    }
  }
  try {
    await program(act, streams).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  }
  return exitCode
}

function program(act: Act, { output, errors }: TerminalStreams): Command {
  const root = new Command('turnlog')
    .description('Looks into the sessions of AI agents, and looks after them.')
    .version(packageVersion(), '-V, --version')
    .option('--store <store>', 'leveldb:./dir, jsonl:./dir, a path (LevelDB), a config .json, or a module .js')
    .option('--json', 'for machines: JSON on the output, errors as JSON on the error stream')
    .option('--no-color', 'no colours (also: NO_COLOR=1, or any output that is not a terminal)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void output.write(text),
      writeErr: (text) => void errors.write(text),
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      'after',
      `
The store is the first of: --store, the variable TURNLOG_STORE, the nearest turnlog.config.json from here upwards.

${EXIT_HELP}

Examples:
  turnlog list --store jsonl:./sessions
  TURNLOG_STORE=leveldb:./sessions turnlog show telegram:42`,
    )
  for (const make of COMMANDS) root.addCommand(make(act).copyInheritedSettings(root))
  return root
}
