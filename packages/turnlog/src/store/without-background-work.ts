import type { StoreConfig } from '@turnlog/core'

type Limits = NonNullable<StoreConfig['limits']>

/** What a store does of its own accord, when it opens, now and then, or after a write. */
const OF_THE_AGENT = new Set(['migrateFrom', 'expire', 'retention', 'autoCompact', 'sweep', 'onOverflow'])

/**
 * The configuration of an agent without what its store does by itself: bring in a legacy directory, expire, compact and
 * summarise. A command does what it is asked to and nothing else; the agent does the rest when it opens the store.
 * Commands for the same work (migrate, expire, compact) take what to do from their own options.
 */
export function withoutBackgroundWork(config: StoreConfig): StoreConfig {
  const { limits } = config
  const own = Object.fromEntries(Object.entries(config).filter(([name]) => !OF_THE_AGENT.has(name))) as StoreConfig
  // Where the agent would summarise, a store without its summariser would cut.
  return limits === undefined || !('onOverflow' in config) ? own : { ...own, limits: messageLimits(limits) }
}

/** What a single message may be stays true whoever writes it. */
function messageLimits({ prefixes = {}, maxMessageBytes }: Limits): Limits {
  const only = (bytes: number | undefined): Limits => (bytes === undefined ? {} : { maxMessageBytes: bytes })
  const own = Object.entries(prefixes).map(([prefix, limits]) => [prefix, only(limits.maxMessageBytes)] as const)
  return { ...only(maxMessageBytes), prefixes: Object.fromEntries(own) }
}
