import type { Backend } from './backend.ts'
import { wrapBackend } from './wrap-backend.ts'

/** The same backend; `changed` hears of every session that was written to through it, or may have been. */
export function observedBackend(backend: Backend, changed: (session: string) => void): Backend {
  const observed = (session: string, work: Promise<void>): Promise<void> => work.finally(() => changed(session))
  return wrapBackend(backend, {
    append: (session, ...change) => observed(session, backend.append(session, ...change)),
    erase: (session, expectedLast) => observed(session, backend.erase(session, expectedLast)),
  })
}
