import type { Command } from 'commander'
import type { Context } from './context.ts'

/** What a command does. @returns the exit code */
export type Work = (context: Context) => Promise<number>

/** Runs the work of a command with everything it needs, and tells the shell how it went. */
export type Act = (command: Command, work: Work) => Promise<void>
