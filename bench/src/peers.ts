import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A directory of its own, with its own lockfile: the peers include native builds that nothing else should wait for. */
const PEERS = fileURLToPath(new URL('../peers/', import.meta.url))
const PNPM = 'pnpm@10.34.9'

/** What a peer's package gives, or `undefined` if it is not installed or does not load here. */
export async function loadPeer<T>(name: string): Promise<T | undefined> {
  try {
    const path = createRequire(new URL('../peers/package.json', import.meta.url)).resolve(name)
    return (await import(pathToFileURL(path).href)) as T
  } catch {
    return undefined // the report names the contestants that are absent
  }
}

/** Where the SQLite backend finds better-sqlite3, on a Node without SQLite. */
export function sqliteDriver(): { readonly driver?: string } {
  if (process.getBuiltinModule?.('node:sqlite') !== undefined) return {}
  return { driver: fileURLToPath(new URL('../peers/node_modules/better-sqlite3', import.meta.url)) }
}

/** Installs the peers unless they are there. Says so and goes on without them if that fails. */
export function installPeers(say: (line: string) => void): void {
  if (existsSync(new URL('../peers/node_modules/.modules.yaml', import.meta.url))) return
  say('Installing the alternatives to compare with (once; native builds take a minute or two) ...')
  try {
    execFileSync('npx', ['--yes', PNPM, 'install', '--dir', PEERS, '--ignore-workspace', '--frozen-lockfile'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (error) {
    say(`They could not be installed (${error instanceof Error ? error.message : 'unknown'}); going on without them.`)
  }
}
