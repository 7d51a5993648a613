import { fdatasyncSync, openSync, writeSync } from 'node:fs'

import { CONTROL_BLOCK_BYTES } from './control-block.ts'
import { endWithParent } from './end-with-parent.ts'

// No store at all: a block, a sync, an acknowledgement. If this loses anything, the harness invents losses.
interface ControlTask {
  readonly file: string
  /** Gets one byte for every block that is on the disk. */
  readonly acknowledgements: string
}

const task = JSON.parse(process.argv[2] ?? '') as ControlTask
const block = Buffer.alloc(CONTROL_BLOCK_BYTES, 'c')
const file = openSync(task.file, 'a')
const acknowledgements = openSync(task.acknowledgements, 'a')
endWithParent()
writeSync(1, 'R')
writeNext()

function writeNext(): void {
  writeSync(file, block)
  fdatasyncSync(file)
  writeSync(acknowledgements, 'a')
  setImmediate(writeNext) // so that the end of the parent is noticed
}
