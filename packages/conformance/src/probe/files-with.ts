import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Runs by itself, so it takes what it needs from its input. */
const SEARCH = `
const { readFileSync, readdirSync } = require('node:fs')
const { join } = require('node:path')
const { directory, texts } = JSON.parse(readFileSync(0, 'utf8'))
const found = []
for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile()) continue
  let content = Buffer.alloc(0)
  try {
    content = readFileSync(join(entry.parentPath, entry.name))
  } catch {} // gone meanwhile
  if (texts.some((text) => content.includes(text) || entry.name.includes(text))) found.push(entry.name)
}
process.stdout.write(JSON.stringify(found))
`

/**
 * The files below a directory that hold one of these texts, or have it in their name. Another process looks: one that
 * has a store open loses its POSIX locks when it closes any other descriptor of a file that they are on.
 */
export async function filesWith(directory: string, ...texts: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, ['-e', SEARCH], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ directory, texts }))
  return JSON.parse(await text(child.stdout)) as string[]
}
