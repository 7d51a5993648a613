import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { StoreError } from '@turnlog/core/backend'

/**
 * Keeps everybody else from opening the database to write.
 *
 * @returns what lets go
 * @throws `LOCKED` if somebody has it open
 */
export async function holdLock(path: string, driver: string): Promise<() => Promise<void>> {
  const log = `${path}-wal`
  const hadLog = existsSync(log)
  const child = spawn(process.execPath, [lockFile(), path, driver], { stdio: ['pipe', 'pipe', 'ignore'] })
  const exit = once(child, 'exit')
  const release = async (): Promise<void> => {
    if (!hadLog && statSync(log, { throwIfNoEntry: false })?.size === 0) rmSync(log)
    child.stdin.destroy()
    child.kill('SIGKILL')
    await exit
  }
  const said = await Promise.race([once(child.stdout, 'data'), exit.then(() => ['failed'])])
  const answer = String(said[0])
  if (answer === 'locked' || answer === 'damaged') return release
  await release()
  if (answer !== 'busy') throw new StoreError('IO', `Cannot repair ${path}: the process that should lock it has ended.`)
  throw new StoreError('LOCKED', `Cannot repair ${path} while somebody has it open. Close it there first.`, {
    file: path,
  })
}

/** As with the thread: a process cannot run the sources. */
function lockFile(): string {
  const file = fileURLToPath(new URL('./lock-main.js', import.meta.url))
  return import.meta.url.endsWith('.ts') ? file.replace(/([\\/])src([\\/]maintenance[\\/][^\\/]+)$/, '$1dist$2') : file
}
