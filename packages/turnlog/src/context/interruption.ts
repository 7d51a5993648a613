import { EXIT } from './exit-code.ts'

/** Why a command ends before its time: the reason of the signal that it is given. */
export interface Interruption {
  readonly exitCode: number
  /** Nobody is left to be told anything. */
  readonly isSilent: boolean
  /** Ctrl-C, by which a command that goes on and on is meant to end. */
  readonly isExpected: boolean
}

/** The exit codes are those of a shell: 128 and the number of the signal. */
export const INTERRUPTIONS: Readonly<Record<'SIGINT' | 'SIGTERM' | 'SIGHUP', Interruption>> = {
  SIGINT: { exitCode: EXIT.interrupted, isSilent: false, isExpected: true },
  SIGTERM: { exitCode: EXIT.terminated, isSilent: false, isExpected: false },
  SIGHUP: { exitCode: EXIT.hungUp, isSilent: true, isExpected: false },
}

/** `turnlog list | head` is no error. */
export const PIPE_CLOSED: Interruption = { exitCode: EXIT.ok, isSilent: true, isExpected: false }

/** The output cannot be written: a full disk, for example. */
export const OUTPUT_FAILED: Interruption = { exitCode: EXIT.failed, isSilent: true, isExpected: false }
