const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY],
  ['w', 7 * DAY],
])

/** How long ago, in at most four columns: `12s`, `5m`, `3h`, `40d`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`
  const days = Math.floor(ms / DAY)
  return days < 1000 ? `${days}d` : `${Math.floor(days / 365)}y`
}

/** `512 B`, `1.4 KB`, `12 MB`: powers of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  let value = bytes
  let unit = 'B'
  for (const next of ['KB', 'MB', 'GB', 'TB']) {
    if (value < 1024) break
    value /= 1024
    unit = next
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `3 messages`, `1 message`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Local time to the second, the same width always. */
export function formatTime(ms: number): string {
  const date = new Date(ms)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Milliseconds of `30d`, `12h`, `90m`; `undefined` if it is none. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+)\s*([a-z]+)$/.exec(text.trim()) ?? []
  const factor = UNITS.get(unit)
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}
