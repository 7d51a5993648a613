import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { build } from 'esbuild'
import type { Plugin } from 'esbuild'

/**
 * LevelDB and the thread of SQLite stay out of the bundle and are found from where they are installed: both are looked
 * for from where their caller is.
 */
const nativeModule: Plugin = {
  name: 'native-module',
  setup: (bundle) => {
    bundle.onLoad({ filter: /(?:load-level|worker-thread)\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { contents: source.replace('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    })
  },
}

/**
 * One file for each child that is started thousands of times: the same compiled code, without the 150 ms that finding
 * some 250 modules takes each time. Removed when this process ends.
 */
export async function bundleChildren(files: readonly string[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-proof-children-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  await build({
    entryPoints: [...files],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    plugins: [nativeModule],
    // CommonJS packages inside of the bundle ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  return directory
}
