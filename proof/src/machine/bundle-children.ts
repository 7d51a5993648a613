import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { build } from 'esbuild'
import type { Plugin } from 'esbuild'

/** The native part of LevelDB is found from where it is installed, not from where the bundle is. */
const nativeBinding: Plugin = {
  name: 'native-binding',
  setup: (bundle) => {
    bundle.onLoad({ filter: /classic-level[\\/]binding\.js$/ }, ({ path }) => {
      const [file, directory] = [JSON.stringify(path), JSON.stringify(dirname(path))]
      return {
        contents: `module.exports = require('node:module').createRequire(${file})('node-gyp-build')(${directory})`,
      }
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
    plugins: [nativeBinding],
    // CommonJS packages inside of the bundle ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  return directory
}
