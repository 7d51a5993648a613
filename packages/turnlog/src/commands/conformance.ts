import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { EXIT } from '../exit-code.ts'

export const CONFORMANCE = 'conformance'

/** For the list of commands only: its arguments belong to the suite and are forwarded before they are looked at. */
export function conformanceCommand(): Command {
  return new Command(CONFORMANCE)
    .description('runs the conformance suite against a backend; its options are those of turnlog-conformance')
    .argument('<target>', 'a JavaScript module that exports target')
}

/** @returns the exit code of the suite */
export function forwardToConformance(args: readonly string[]): Promise<number> {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('@turnlog/conformance/package.json')
  const { bin } = require(manifest) as { readonly bin: Readonly<Record<string, string>> }
  const program = join(dirname(manifest), bin['turnlog-conformance'] ?? '')
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? EXIT.interrupted))
  })
}
