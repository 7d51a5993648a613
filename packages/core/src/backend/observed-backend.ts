import type { Backend } from './backend.ts'

/** The same backend, whose owner is told of every session that was written to through it. */
export function observedBackend(backend: Backend, changed: (session: string) => void): Backend {
  const { contract, name, capabilities, maintenance } = backend
  const told = async <T>(session: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      changed(session)
    }
  }
  return {
    contract,
    name,
    capabilities,
    open: (options) => backend.open(options),
    close: () => backend.close(),
    append: (session, ...change) => told(session, backend.append(session, ...change)),
    read: (session, ...request) => backend.read(session, ...request),
    head: (session) => backend.head(session),
    list: (range) => backend.list(range),
    erase: (session, expectedLast) => told(session, backend.erase(session, expectedLast)),
    ...(backend.wake === undefined ? undefined : { wake: backend.wake.bind(backend) }),
    ...(maintenance === undefined ? undefined : { maintenance }),
  }
}
