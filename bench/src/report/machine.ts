import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, platform, release, totalmem } from 'node:os'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly fileSystem: string
  readonly node: string
  readonly versions: Readonly<Record<string, string>>
}

/** Where the figures come from. No names of hosts or people. */
export function describeMachine(): Machine {
  const [first] = cpus()
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    fileSystem: fileSystemOf(tmpdir()),
    node: process.versions.node,
    versions: {
      'classic-level': versionOf('../../package.json', 'classic-level'),
      msgpackr: versionOf('../../package.json', 'msgpackr'),
      'better-sqlite3': versionOf('../../peers/package.json', 'better-sqlite3'),
      lmdb: versionOf('../../peers/package.json', 'lmdb'),
      'langgraph-checkpoint-sqlite': versionOf('../../peers/package.json', '@langchain/langgraph-checkpoint-sqlite'),
    },
  }
}

function versionOf(manifest: string, name: string): string {
  try {
    const url = new URL(manifest, import.meta.url)
    const paths = createRequire(url).resolve.paths(name) ?? []
    for (const path of paths) {
      try {
        return (JSON.parse(readFileSync(`${path}/${name}/package.json`, 'utf8')) as { version: string }).version
      } catch {
        continue // it may be in a directory further up
      }
    }
    return 'absent'
  } catch {
    return 'absent' // the peers are not installed
  }
}

function fileSystemOf(directory: string): string {
  try {
    return execFileSync('findmnt', ['-n', '-o', 'FSTYPE', '-T', directory], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown' // another system
  }
}
