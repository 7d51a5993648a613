import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { Random } from '@turnlog/conformance/random'

import type { Campaign, CampaignContext, Outcome } from './campaign.ts'
import type { BackendName } from './child/make-backend.ts'
import { prepareChildren } from './machine/start-child.ts'

export interface RunOptions {
  readonly campaigns: readonly Campaign[]
  readonly backends: readonly BackendName[]
  readonly seed: number
  readonly long: boolean
  readonly count: number | undefined
  say(text: string): void
}

/** Memory that looks like a disk: syncing costs nothing there, where power is not what is tested. */
const MEMORY_DIRECTORY = '/dev/shm'

/** Some twenty lines make a table. */
const SHORT_LINE_MS = 8_000

export async function runCampaigns(options: RunOptions): Promise<readonly Outcome[]> {
  // Stopped by hand: the exit handlers still run, so that no mount and no directory is left behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  await prepareChildren()
  const outcomes: Outcome[] = []
  for (const campaign of options.campaigns) {
    const directories: string[] = []
    const started = Date.now()
    const seconds = (): string => `${((Date.now() - started) / 1000).toFixed(0)} s`
    const context: CampaignContext = {
      backends: options.backends,
      seed: options.seed,
      long: options.long,
      // By name, so that a campaign does the same alone as among others.
      random: new Random(options.seed ^ crc32(campaign.name)),
      attempts: (short, long) => options.count ?? (options.long ? long : short),
      budget: () => {
        const end = options.long || options.count !== undefined ? Infinity : Date.now() + SHORT_LINE_MS
        return () => Date.now() < end
      },
      directory: ({ inMemory = false } = {}) => {
        const directory = mkdtempSync(join(inMemory ? memoryDirectory() : tmpdir(), `turnlog-proof-${campaign.name}-`))
        directories.push(directory)
        return directory
      },
      progress: (text) => options.say(`  ${text} (${seconds()})`),
    }
    const cleanUp = (): void => removeAll(directories)
    process.once('exit', cleanUp)
    options.say(campaign.title)
    try {
      const found = await campaign.run(context)
      outcomes.push(...found)
      for (const { backend, attempts, unit, violations, skipped } of found) {
        const result =
          skipped === undefined ? `${attempts} ${unit}, ${violations.length} violations` : `skipped: ${skipped}`
        options.say(`  ${backend}: ${result} (${seconds()})`)
        for (const violation of violations.slice(0, 10)) options.say(`    VIOLATION ${violation}`)
      }
    } finally {
      process.off('exit', cleanUp)
      cleanUp()
    }
  }
  return outcomes
}

function removeAll(directories: readonly string[]): void {
  for (const directory of directories) {
    for (const mount of mountsBelow(directory)) spawnSync('umount', ['--lazy', mount])
    rmSync(directory, { recursive: true, force: true })
  }
}

function mountsBelow(directory: string): string[] {
  if (!existsSync('/proc/mounts')) return []
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  return mounts.map((line) => line.split(' ')[1] ?? '').filter((mount) => mount.startsWith(`${directory}/`))
}

function memoryDirectory(): string {
  try {
    return statSync(MEMORY_DIRECTORY).isDirectory() ? MEMORY_DIRECTORY : tmpdir()
  } catch {
    return tmpdir() // not a Linux; slower, not wrong
  }
}
