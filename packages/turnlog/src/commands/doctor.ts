import { Command } from 'commander'
import { isStoreError } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import type { Check } from '../doctor/check.ts'
import { checkEnvironment } from '../doctor/check-environment.ts'
import { checkStore } from '../doctor/check-store.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable, printableJson } from '../output/printable.ts'
import { packageVersion } from '../context/package-version.ts'

export function doctorCommand(act: Act): Command {
  return new Command('doctor')
    .description('checks Node, the backends, and the store: path, permissions, disk, lock, format')
    .addHelpText(
      'after',
      `
Changes nothing in the store. Ends with 1 if something does not work.
With --json: one object with ok and checks (name, status: ok | notice | problem, message).

Example:
  turnlog doctor --store leveldb:./sessions`,
    )
    .action(act(doctor))
}

async function doctor(context: Context): Promise<number> {
  const { terminal } = context
  const checks = [...(await checkEnvironment(packageVersion())), ...(await storeChecks(context))]
  const isOk = checks.every(({ status }) => status !== 'problem')
  if (context.json) {
    await terminal.line(printableJson({ ok: isOk, checks }, 2))
  } else {
    const { green, yellow, red } = terminal.colors
    const marks = { ok: green('✓'), notice: yellow('!'), problem: red('✗') }
    for (const { name, status, message } of checks) {
      await terminal.line(`${marks[status]} ${name.padEnd(16)} ${printable(message)}`)
    }
  }
  return isOk ? EXIT.ok : EXIT.problem
}

async function storeChecks(context: Context): Promise<Check[]> {
  try {
    return await checkStore(await context.choose(), (cleanUp) => context.beforeExit(cleanUp))
  } catch (error) {
    if (!isStoreError(error)) throw error
    // The environment can be checked without a store; one that was chosen and cannot be used is another matter.
    return [{ name: 'store', status: context.isStoreChosen ? 'problem' : 'notice', message: error.message }]
  }
}
