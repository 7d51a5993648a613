import { setTimeout } from 'node:timers/promises'
import { Command, CommanderError } from 'commander'
import type { Act, Work } from './context/act.ts'
import { forwardToConformance } from './commands/conformance.ts'
import { loadCommands } from './commands/load-commands.ts'
import { Context } from './context/context.ts'
import { EXIT, EXIT_HELP, exitCodeOf } from './context/exit-code.ts'
import type { Interruption } from './context/interruption.ts'
import { printableJson } from './output/printable.ts'
import type { TerminalStreams } from './output/terminal.ts'
import { packageVersion } from './context/package-version.ts'
import { reportError } from './context/report-error.ts'

/** What cleaning up may take after an interruption, and then what the command may take to notice that it has ended. */
const CLEAN_UP_MS = 5000
const NOTICE_MS = 500

/** Runs one command line. @returns the exit code */
export async function run(args: readonly string[], streams: TerminalStreams, signal: AbortSignal): Promise<number> {
  const forwarded = forwardToConformance(args, streams.errors, signal)
  if (forwarded !== undefined) return forwarded
  let exitCode: number = EXIT.ok
  const act: Act =
    <Given extends unknown[]>(work: Work<Given>) =>
    async (...line: unknown[]) => {
      const command = line.pop() as Command // comes behind the arguments and the options
      const context = new Context(command, streams, signal)
      const done = perform(context, () => work(context, ...(line as Given)), signal)
      exitCode = await Promise.race([done, interruptionOf(context, done, signal)])
    }
  try {
    await (await program(args, act, streams)).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return EXIT.ok
    if (isForMachines(args)) streams.errors.write(`${usageError(error)}\n`)
    return EXIT.usage
  }
  return exitCode
}

async function perform(context: Context, work: () => Promise<number | void>, signal: AbortSignal): Promise<number> {
  const { terminal } = context
  let exitCode: number
  try {
    exitCode = (await work()) ?? EXIT.ok
    // One that ends in order when its store is closed under it was interrupted all the same.
    const interruption = signal.aborted ? (signal.reason as Interruption) : undefined
    if (interruption !== undefined && !context.endsBy(interruption)) exitCode = interruption.exitCode
    await terminal.flush()
    await context.close()
  } catch (error) {
    // Interrupted, its store is closed under it, so that it fails; not because something were wrong.
    const interruption = signal.aborted ? (signal.reason as Interruption) : undefined
    exitCode = interruption?.exitCode ?? exitCodeOf(error)
    await terminal.flush()
    if (interruption === undefined) reportError(context, error)
    else printInterruption(context, interruption)
    await context.close().catch(() => undefined)
  }
  return exitCode
}

/** Resolves only when the command is interrupted and everything is cleaned up, or that has taken too long. */
async function interruptionOf(context: Context, done: Promise<number>, signal: AbortSignal): Promise<number> {
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true })
    })
  }
  const interruption = signal.reason as Interruption
  if (context.endsBy(interruption)) return done
  await Promise.race([context.close().catch(() => undefined), setTimeout(CLEAN_UP_MS)])
  if (!interruption.isSilent) await Promise.race([done, setTimeout(NOTICE_MS)])
  return interruption.exitCode
}

function printInterruption({ terminal, json }: Context, { isSilent }: Interruption): void {
  if (isSilent) return
  const message = 'Interrupted. What was done stays; run it again.'
  terminal.note(json ? printableJson({ error: { code: 'INTERRUPTED', message } }) : message)
}

async function program(args: readonly string[], act: Act, { output, errors }: TerminalStreams): Promise<Command> {
  const root = new Command('turnlog')
    .description('Inspect and maintain AI agent sessions stored with Turnlog.')
    .version(packageVersion(), '-V, --version')
    .option(
      '--store <store>',
      'leveldb:./dir, jsonl:./dir, sqlite:./file.db, a path (LevelDB), a config .json, or a module .js',
    )
    .option('--json', 'machine-readable: JSON on stdout, errors as JSON on stderr')
    .option('--no-color', 'no colours (also: NO_COLOR=1, or any output that is not a terminal)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void output.write(text),
      // For a machine the error is told as JSON, when it is caught.
      writeErr: (text) => void (isForMachines(args) || errors.write(text)),
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

/** Known before the line is parsed, because it may be that which fails. */
function isForMachines(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

function usageError({ code, message }: CommanderError): string {
  // Without a command commander shows its help, which is no message.
  const text = code === 'commander.help' ? 'No command was given. See turnlog --help.' : message.replace(/^error: /, '')
  return printableJson({ error: { code: 'INVALID_ARGUMENT', message: text } })
}
