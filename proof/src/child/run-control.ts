import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import { CONTROL_BLOCK_BYTES } from './control-block.ts'

export interface ControlTask {
  readonly file: string
  /** Gets one byte for every block that is on the disk. */
  readonly acknowledgements: string
}

/** No store at all: a block, a sync, an acknowledgement. If this loses anything, the harness invents losses. */
export async function runControl(task: ControlTask): Promise<never> {
  const block = Buffer.alloc(CONTROL_BLOCK_BYTES, 'c')
  const file = await open(task.file, 'a')
  const acknowledgements = await open(task.acknowledgements, 'a')
  for (;;) {
    await file.write(block)
    await file.datasync()
    await acknowledgements.write('a')
    await delay(1) // it is there to be hit, not to take the time of the others
  }
}
