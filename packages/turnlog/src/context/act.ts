import type { Context } from './context.ts'

/** What a command does with the arguments and options of the line. @returns the exit code, unless it is `EXIT.ok` */
export type Work<Given extends unknown[]> = (context: Context, ...given: Given) => Promise<number | void>

/** The action of a command: its work, run with everything it needs; the shell is told how it went. */
export type Act = <Given extends unknown[]>(work: Work<Given>) => (...line: unknown[]) => Promise<void>
