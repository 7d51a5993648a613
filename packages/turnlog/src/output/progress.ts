import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.ts'

export interface Progress {
  update(done: number, total: number): void
  stop(): void
}

/** A bar on the error stream, only where a person can see it; it leaves nothing behind. */
export function showProgress(terminal: Terminal, label: string): Progress {
  if (!terminal.showsProgress) return { update: () => undefined, stop: () => undefined }
  const format = `${label} {bar} {value} of {total}`
  const options = { format, stream: terminal.errors as NodeJS.WriteStream, clearOnComplete: true, hideCursor: true }
  const bar = new SingleBar(options, Presets.rect)
  let isStarted = false
  return {
    update: (done, total) => {
      if (!isStarted) bar.start(total, done)
      isStarted = true
      bar.setTotal(total)
      bar.update(done)
    },
    stop: () => {
      if (isStarted) bar.stop()
    },
  }
}
