import type { VerifyProblem } from '@turnlog/core'
import { printable } from './printable.ts'

/** A finding in one line, with where it is. */
export function formatProblem({ message, session, seq, file, line }: VerifyProblem): string {
  const place = [
    ...(session === undefined ? [] : [`session ${JSON.stringify(session)}`]),
    ...(seq === undefined ? [] : [`event ${seq}`]),
    ...(file === undefined ? [] : [`${file}${line === undefined ? '' : `:${line}`}`]),
  ].join(', ')
  return printable(place === '' ? message : `${message} (${place})`)
}
