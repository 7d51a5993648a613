import type { Command } from 'commander'
import type { Context } from './context.ts'

/** Runs the work of a command with everything it needs, and tells the shell how it went: the work gives the exit code. */
export type Act = (command: Command, work: (context: Context) => Promise<number>) => Promise<void>
