import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The JavaScript file of a module of this package. Child processes and worker threads run plain JavaScript, so when
 * the suite itself runs from its sources (as in the tests of this repository) they use the build beside them.
 */
export function builtModule(name: string): string {
  const url = new URL(`./${name}.js`, import.meta.url)
  const path = fileURLToPath(import.meta.url.endsWith('.ts') ? url.href.replace('/src/child/', '/dist/child/') : url)
  if (!existsSync(path)) throw new Error(`${path} is missing. Build @turnlog/conformance first.`)
  return path
}
