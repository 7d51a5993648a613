import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'

import { build } from 'esbuild'
import { expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../../src/config/resolve-backend.ts', import.meta.url))

test('backend selection bundles for browsers, without any module of Node, and works there', async () => {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'turnlog',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  })
  expect(result.errors).toEqual([])
  const [output] = result.outputFiles
  expect(output?.text).not.toMatch(/(?:import|require)\(?\s*["'](?:node:)?(?:fs|module|path|url)["']/)

  const context = createContext({ URLSearchParams, console })
  runInContext(output?.text ?? '', context)
  const name: unknown = await runInContext(
    `turnlog.resolveBackend('memory:').then(({ backend }) => backend.name)`,
    context,
  )
  expect(name).toBe('memory')
  const own: unknown = await runInContext(
    `turnlog.resolveBackend({ backend: './mine.js' }).catch((error) => error.code)`,
    context,
  )
  expect(own).toBe('BACKEND_NOT_FOUND')
})
