/** Lock files are numbered; the one with the highest number counts. */
const NAME = /^turnlog\.lock\.(\d{1,15})$/

/** 0 for any other file. */
export function lockNumber(name: string): number {
  return Number(NAME.exec(name)?.[1] ?? 0)
}

export function highestLock(names: readonly string[]): number {
  return names.reduce((highest, name) => Math.max(highest, lockNumber(name)), 0)
}
