import type { Backend } from '@turnlog/core'

/** The same backend, telling how far a check of its storage has come; the store has no way to ask for that. */
export function watchedBackend(backend: Backend, onProgress: (done: number, total: number) => void): Backend {
  const { maintenance } = backend
  return {
    contract: backend.contract,
    name: backend.name,
    capabilities: backend.capabilities,
    open: (options) => backend.open(options),
    close: () => backend.close(),
    append: (session, expected, events, projection, options) =>
      backend.append(session, expected, events, projection, options),
    read: (session, ranges, options) => backend.read(session, ranges, options),
    head: (session) => backend.head(session),
    list: (range) => backend.list(range),
    erase: (session, expectedLast) => backend.erase(session, expectedLast),
    ...(maintenance === undefined
      ? undefined
      : {
          maintenance: {
            verify: (options) => maintenance.verify({ ...options, onProgress }),
            repair: (options) => maintenance.repair(options),
            reclaim: (options) => maintenance.reclaim(options),
            sizes: () => maintenance.sizes(),
          },
        }),
  }
}
