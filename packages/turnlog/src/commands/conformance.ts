import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { Command } from 'commander'
import { EXIT } from '../context/exit-code.ts'
import type { Interruption } from '../context/interruption.ts'
import { printable } from '../output/printable.ts'

const CONFORMANCE = 'conformance'

const NO_COLOR = '--no-color'

/**
 * For the list of commands: its arguments belong to the suite and are forwarded before they are looked at. It gets here
 * only behind options of `turnlog`, which mean something else to the suite or nothing; saying nothing would be taken for
 * a pass.
 */
export function conformanceCommand(): Command {
  return new Command(CONFORMANCE)
    .description('run the conformance suite (@turnlog/conformance, if it is installed) against a backend')
    .argument('<target>', 'a JavaScript module that exports target')
    .argument('[options...]', 'for the suite')
    .allowUnknownOption()
    .action((_target: string, _options: readonly string[], _flags: object, command: Command) =>
      command.error(
        `error: put ${CONFORMANCE} first and its options behind it: turnlog ${CONFORMANCE} <target> [options]`,
      ),
    )
}

/** @returns the exit code of the suite; `undefined` if this is another command */
export function forwardToConformance(
  args: readonly string[],
  errors: Writable,
  signal: AbortSignal,
): Promise<number> | undefined {
  const at = args.findIndex((arg) => arg !== NO_COLOR)
  if (args[at] !== CONFORMANCE) return undefined
  const program = findSuite()
  if (program === undefined) {
    const again = ['npx @turnlog/conformance', ...args.slice(at + 1).map((arg) => printable(arg))].join(' ')
    errors.write(`error The conformance suite is a package of its own and is not installed. Run: ${again}\n`)
    return Promise.resolve(EXIT.usage)
  }
  // Node obeys FORCE_COLOR before NO_COLOR.
  const env = at === 0 ? process.env : { ...process.env, FORCE_COLOR: '0' }
  const child = spawn(process.execPath, [program, ...args.slice(at + 1)], { stdio: 'inherit', env })
  signal.addEventListener('abort', () => {
    // A terminal gives Ctrl-C to both.
    if (!(signal.reason as Interruption).isExpected) child.kill('SIGTERM')
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? EXIT.interrupted))
  })
}

/** The program of the suite; `undefined` if it is not installed, as `turnlog` does not bring it. */
function findSuite(): string | undefined {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve('@turnlog/conformance/package.json')
    const { bin } = require(manifest) as { readonly bin: Readonly<Record<string, string>> }
    return join(dirname(manifest), bin['turnlog-conformance'] ?? '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    return undefined
  }
}
