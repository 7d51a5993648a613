import { listKeys, readAll } from '../probe/collect.ts'
import type { Harness } from '../context/target.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** A backend in this process, closed and opened in good order. */
export async function localStore(harness: Harness): Promise<StoreUnderTest> {
  let backend = harness.backend
  await backend.open()
  return {
    persistent: backend.capabilities.persistent,
    append: (...args) => backend.append(...args),
    head: (session) => backend.head(session),
    erase: (session, expectedLast) => backend.erase(session, expectedLast),
    readAll: (session) => readAll(backend, session),
    listKeys: () => listKeys(backend),
    async reopen() {
      backend = await harness.reopen()
    },
    end: () => backend.close(),
  }
}
