import type { BuiltInBackend } from './built-in-backends.ts'

/** Bundles for browsers get this file in place of the other: what needs a file system is known there, but never there. */
export const CORE_LOCATION: string | undefined = undefined

export const builtInBackends: ReadonlyMap<string, BuiltInBackend> = new Map<string, BuiltInBackend>([
  ['leveldb', { packageName: '@turnlog/leveldb-backend', needs: 'path', load: notInBrowsers }],
  ['jsonl', { packageName: '@turnlog/jsonl-backend', needs: 'path', load: notInBrowsers }],
  ['memory', { needs: 'nothing', load: (): Promise<unknown> => import('../memory/index.ts') }],
])

function notInBrowsers(): Promise<never> {
  return Promise.reject(
    Object.assign(new Error('This bundle was made for browsers and has no backends on disk.'), {
      code: 'ERR_MODULE_NOT_FOUND',
    }),
  )
}
