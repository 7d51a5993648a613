import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../output/quantities.ts'

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number.')
  return value
}

export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Give a time such as 90m, 12h or 30d.')
  return ms
}
