import { Command, CommanderError } from 'commander'
import type { Act } from './act.ts'
import { CONFORMANCE, forwardToConformance } from './commands/conformance.ts'
import { loadCommands } from './commands/load-commands.ts'
import { Context } from './context.ts'
import { EXIT, EXIT_HELP, exitCodeOf } from './exit-code.ts'
import type { TerminalStreams } from './output/terminal.ts'
import { packageVersion } from './package-version.ts'
import { reportError } from './report-error.ts'

/** Runs one command line. @returns the exit code */
export async function run(args: readonly string[], streams: TerminalStreams, signal: AbortSignal): Promise<number> {
  if (args[0] === CONFORMANCE) return forwardToConformance(args.slice(1))
  let exitCode: number = EXIT.ok
  const act: Act = async (command, work) => {
    const context = new Context(command, streams, signal)
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
    await (await program(args, act, streams)).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  }
  return exitCode
}

async function program(args: readonly string[], act: Act, { output, errors }: TerminalStreams): Promise<Command> {
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
  for (const make of await loadCommands(args)) root.addCommand(make(act).copyInheritedSettings(root))
  return root
}
