import { writeSync } from 'node:fs'

import { endWithParent } from './end-with-parent.ts'
import { runControl } from './run-control.ts'
import type { ControlTask } from './run-control.ts'
import { runWriter } from './run-writer.ts'
import type { WriterTask } from './writer-task.ts'

// A process that writes to one or more stores: at once, or, if it is started without any, when it is told to.
export interface WriterOrder {
  readonly n: number
  readonly tasks: readonly WriterTask[]
  /** Runs beside them, until the end of the process. */
  readonly control?: ControlTask
}

export interface WriterAnswer {
  readonly n: number
  /** Why the process would have ended, had it been started for this alone. */
  readonly error?: string
}

const tasks = JSON.parse(process.argv[2] ?? '[]') as readonly WriterTask[]
endWithParent()
if (tasks.length > 0) await runAll(tasks)
else {
  process.on('message', (order: WriterOrder) => void obey(order))
  process.on('disconnect', () => process.exit())
}

async function obey({ n, tasks, control }: WriterOrder): Promise<void> {
  try {
    if (control !== undefined) void runControl(control)
    await runAll(tasks)
    process.send?.({ n } satisfies WriterAnswer)
  } catch (error) {
    process.send?.({ n, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

async function runAll(tasks: readonly WriterTask[]): Promise<void> {
  let waiting = tasks.length
  const onReady = (): void => {
    waiting--
    if (waiting === 0) writeSync(1, 'R')
  }
  await Promise.all(tasks.map((task) => runWriter(task, onReady)))
}
