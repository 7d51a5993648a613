import { appendFileSync, writeFileSync, writeSync } from 'node:fs'
import { messageOf } from './conversation.ts'

/** Keeps a conversation as a line for each message, and a file beside it that says how many there are. */
function main(file: string, from: number, to: number, isKilled: boolean): void {
  for (let n = from; n <= to; n++) {
    appendFileSync(file, `${JSON.stringify(messageOf(n))}\n`)
    writeFileSync(`${file}.meta`, JSON.stringify({ count: n }))
    writeSync(1, `ack ${n}\n`)
  }
  if (!isKilled) return
  // The next line is under way when the process is killed: the metadata counts it, half of it is there.
  writeFileSync(`${file}.meta`, JSON.stringify({ count: to + 1 }))
  const line = JSON.stringify(messageOf(to + 1))
  appendFileSync(file, line.slice(0, line.length / 2))
  process.kill(process.pid, 'SIGKILL')
}

const [, , file = '', from = '1', to = '1', end = ''] = process.argv
main(file, Number(from), Number(to), end === 'killed')
