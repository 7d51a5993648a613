import { writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openStore } from 'turnlog'
import type { DemoMessage } from './conversation.ts'
import { KEY, messageOf, summaryOf } from './conversation.ts'

/** How long a model takes to write a summary, here. */
const SUMMARY_MS = 25

/** The summariser leaves the newest messages alone. */
const KEEP = 8

const SUMMARISE_FROM = 24

/** An agent that records without end, and a summariser beside it. Its parent kills it. */
async function main(path: string): Promise<void> {
  const store = await openStore<DemoMessage>({ backend: 'leveldb', path })

  const summarise = async (): Promise<void> => {
    for (;;) {
      const { messages, positions, version } = await store.load(KEY)
      await wait(SUMMARY_MS) // the agent goes on recording meanwhile
      const through = positions[messages.length - KEEP - 1]
      const last = messages[messages.length - KEEP - 1]
      if (messages.length < SUMMARISE_FROM || through === undefined) continue
      await store.summarize(KEY, { summary: summaryOf(last?.n ?? 0), through, version })
      say(`summary ${through}`)
    }
  }

  const record = async (): Promise<void> => {
    for (let n = 1; ; n++) {
      say(`begin ${n}`)
      await store.addMessage(KEY, messageOf(n))
      say(`ack ${n}`)
    }
  }

  await Promise.all([record(), summarise()])
}

/** Straight to the pipe: what was said before the kill has been said. */
function say(line: string): void {
  writeSync(1, `${line}\n`)
}

await main(process.argv[2] ?? '')
