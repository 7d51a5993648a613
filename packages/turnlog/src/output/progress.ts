import type { Terminal } from './terminal.ts'

export interface Progress {
  update(done: number, total: number): void
  stop(): void
}

const BAR_COLUMNS = 40
const REDRAW_MS = 100
const CLEAR_LINE = '\r\u001B[K'
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'

/** A bar on the error stream, only where a person can see it; it leaves nothing behind. */
export function showProgress({ errors, showsProgress }: Terminal, label: string): Progress {
  let drawnAt: number | undefined
  return {
    update: (done, total) => {
      const now = performance.now()
      if (!showsProgress || (drawnAt !== undefined && now - drawnAt < REDRAW_MS)) return
      const filled = total === 0 ? 0 : Math.min(BAR_COLUMNS, Math.floor((BAR_COLUMNS * done) / total))
      const bar = '■'.repeat(filled).padEnd(BAR_COLUMNS)
      errors.write(`${drawnAt === undefined ? HIDE_CURSOR : ''}${CLEAR_LINE}${label} ${bar} ${done} of ${total}`)
      drawnAt = now
    },
    stop: () => {
      if (drawnAt !== undefined) errors.write(`${CLEAR_LINE}${SHOW_CURSOR}`)
      drawnAt = undefined
    },
  }
}
