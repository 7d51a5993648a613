import { readFileSync } from 'node:fs'

/** Of a zombie: it has ended and still has its pid, because its parent has not asked about it. It writes nothing more. */
export const GONE = 'gone'

/** When a process started, in ticks since the machine did, as its time namespace counts them; empty if unknown. */
export function startTime(pid: number): string {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return '' // there is no /proc here, or not for this process
  }
  // The second field is the program's name and may contain anything. The third is the state, the 20th the number of
  // threads, the 22nd the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // The first thread may have ended before another one that still writes.
  const hasEnded = (fields[0] === 'Z' || fields[0] === 'X') && Number(fields[17]) <= 1
  return hasEnded ? GONE : (fields[19] ?? '')
}
