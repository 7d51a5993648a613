import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { EXIT } from '../exit-code.ts'
import type { Interruption } from '../interruption.ts'

const CONFORMANCE = 'conformance'

const NO_COLOR = '--no-color'

/**
 * For the list of commands: its arguments belong to the suite and are forwarded before they are looked at. It gets here
 * only behind options of `turnlog`, which mean something else to the suite or nothing; saying nothing would be taken for
 * a pass.
 */
export function conformanceCommand(): Command {
  return new Command(CONFORMANCE)
    .description('runs the conformance suite against a backend; its options are those of turnlog-conformance')
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
export function forwardToConformance(args: readonly string[], signal: AbortSignal): Promise<number> | undefined {
  const at = args.findIndex((arg) => arg !== NO_COLOR)
  if (args[at] !== CONFORMANCE) return undefined
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('@turnlog/conformance/package.json')
  const { bin } = require(manifest) as { readonly bin: Readonly<Record<string, string>> }
  const program = join(dirname(manifest), bin['turnlog-conformance'] ?? '')
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
