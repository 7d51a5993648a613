import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import type { AnyMessage } from '../context.ts'
import { messageOf } from './conversation.ts'

/** Keeps a conversation the way many agents do: the whole file is written again for each message. */
function main(file: string, count: number): void {
  const messages: AnyMessage[] = []
  for (let n = 1; n <= count; n++) {
    messages.push(messageOf(n))
    writeFileSync(file, JSON.stringify({ messages }, undefined, 2))
    writeSync(1, `ack ${n}\n`)
  }
  // The next write is under way when the process is killed: half of the file is there.
  const text = JSON.stringify({ messages: [...messages, messageOf(count + 1)] }, undefined, 2)
  const descriptor = openSync(file, 'w')
  writeSync(descriptor, text.slice(0, text.length / 2))
  process.kill(process.pid, 'SIGKILL')
  closeSync(descriptor)
}

main(process.argv[2] ?? '', Number(process.argv[3]))
