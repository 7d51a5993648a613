import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import { hasTool, isRoot, runTool } from './tools.ts'

export type FileSystemName = 'ext4' | 'xfs'

/** A file system in a file, whose power can be cut. */
export class DiskImage {
  readonly mount: string
  readonly #image: string

  constructor(image: string, mount: string, fileSystem: FileSystemName) {
    this.#image = image
    this.mount = mount
    mkdirSync(mount)
    runTool('truncate', '-s', '400M', image)
    if (fileSystem === 'ext4') runTool('mkfs.ext4', '-q', '-F', image)
    else runTool('mkfs.xfs', '-q', '-f', image)
    this.attach()
  }

  attach(): void {
    runTool('mount', '-o', 'loop', this.#image, this.mount)
  }

  /** From here on nothing reaches the image any more, and what only memory knew is gone at the next mount. */
  cutPower(): void {
    runTool('xfs_io', '-x', '-c', 'shutdown', this.mount)
  }

  async detach(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        runTool('umount', this.mount)
        return
      } catch (error) {
        if (attempt === 50) throw error
        await delay(20) // the kernel lets go of the files of a killed process a moment after its end
      }
    }
  }
}

/** Why there can be no power cuts here, if so. */
export function whyNoPowerCuts(fileSystem: FileSystemName): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  if (!isRoot()) return 'mounting needs root'
  if (!hasTool('xfs_io', '-V')) return 'xfs_io is not installed'
  if (!hasTool(`mkfs.${fileSystem}`, '-V')) return `mkfs.${fileSystem} is not installed`
  if (!hasTool('losetup', '-f')) return 'there are no loop devices'
  return undefined
}

/**
 * Stops a process and waits until all of its threads stand still. Without that a sync in flight races with the cut, and
 * the kernel reports success for what is lost.
 */
export async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  for (;;) {
    const states = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
      return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
    })
    if (states.every((state) => 'TtZX'.includes(state))) return
    await delay(1)
  }
}
