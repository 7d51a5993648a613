import type { Backend } from './backend.ts'
import type { Maintenance } from './maintenance.ts'

export interface BackendOverrides extends Omit<Partial<Backend>, 'maintenance'> {
  /** Replaces these methods of the maintenance of `inner`. All of them where `inner` has none. */
  readonly maintenance?: Partial<Maintenance>
}

/**
 * The same backend with some members replaced. Everything else goes to `inner`; an optional member that neither has
 * stays absent.
 */
export function wrapBackend(inner: Backend, { maintenance, ...overrides }: BackendOverrides): Backend {
  const work = inner.maintenance === undefined ? maintenance : wrapMaintenance(inner.maintenance, maintenance)
  return {
    contract: inner.contract,
    name: inner.name,
    capabilities: inner.capabilities,
    open: (options) => inner.open(options),
    close: () => inner.close(),
    append: (session, expected, events, projection, options) =>
      inner.append(session, expected, events, projection, options),
    read: (session, ranges, options) => inner.read(session, ranges, options),
    head: (session) => inner.head(session),
    list: (range) => inner.list(range),
    erase: (session, expectedLast) => inner.erase(session, expectedLast),
    ...(inner.wake === undefined ? undefined : { wake: inner.wake.bind(inner) }),
    ...(work === undefined ? undefined : { maintenance: work as Maintenance }),
    ...overrides,
  }
}

function wrapMaintenance(inner: Maintenance, overrides: Partial<Maintenance> | undefined): Maintenance {
  return {
    verify: (options) => inner.verify(options),
    repair: (options) => inner.repair(options),
    reclaim: (options) => inner.reclaim(options),
    sizes: () => inner.sizes(),
    ...overrides,
  }
}
