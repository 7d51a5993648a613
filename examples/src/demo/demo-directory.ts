import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MARK = 'made-by-turnlog-demo'

/** An empty directory of that name. One that this demo did not make is left alone. */
export function makeDemoDirectory(directory: string): void {
  if (existsSync(directory) && readdirSync(directory).length > 0 && !existsSync(join(directory, MARK))) {
    throw new Error(`${directory} is not from an earlier demo, so it is left alone. Run the demo somewhere else.`)
  }
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, MARK), '')
}
