import { ChildBackend } from '../child/child-backend.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** A backend in a process of its own, which is killed instead of closed. */
export async function crashingStore(module: string, directory: string): Promise<StoreUnderTest> {
  let child = new ChildBackend(module, directory)
  await child.open()
  return {
    persistent: true,
    append: (...args) => child.append(...args),
    head: (session) => child.head(session),
    erase: (session, expectedLast) => child.erase(session, expectedLast),
    readAll: (session) => child.readAll(session),
    listKeys: () => child.listKeys(),
    async reopen() {
      await child.kill()
      child = new ChildBackend(module, directory)
      await child.open()
    },
    end: () => child.kill(),
  }
}
