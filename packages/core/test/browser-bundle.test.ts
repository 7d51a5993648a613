import { runInNewContext } from 'node:vm'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

/**
 * A bundle that grows beyond this took something along that a browser has no use for. Histories made for an API, and the
 * message formats that they are made of, are 10,000 to 15,000 bytes of it: a page that talks to a model reads with them.
 */
const MAX_BYTES = 165_000

const source = `
  import { openStore } from '@turnlog/core'
  import { memoryBackend } from '@turnlog/core/memory'
  globalThis.done = (async () => {
    const store = await openStore(memoryBackend())
    await store.addMessage('a', 'user', 'hello')
    await store.truncateHistory('a', 1)
    const history = await store.getHistory('a')
    await store.close()
    return JSON.stringify(history)
  })()
`

test('store and memory backend bundle for the browser and run where there is no Node', async () => {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    logLevel: 'silent',
    conditions: ['@turnlog/source'],
    minify: true,
  })
  const code = outputFiles[0]?.text ?? ''
  expect(code).not.toMatch(/require\("node:/)
  expect(code.length).toBeLessThanOrEqual(MAX_BYTES)
  const { crypto, TextEncoder, structuredClone, setTimeout, AbortController, AbortSignal } = globalThis
  const page = {
    crypto,
    TextEncoder,
    structuredClone,
    setTimeout,
    AbortController,
    AbortSignal,
    performance,
    clearTimeout,
    done: undefined as unknown,
  }
  runInNewContext(code, page)
  expect(await page.done).toBe('[{"role":"user","content":"hello"}]')
})
