import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const onOverflow = async (): Promise<string> => ''

test.each<[object, string]>([
  [
    { limits: { maxMessages: 0 } },
    'option "limits.maxMessages" is 0; it must be a whole number of messages, 1 or more',
  ],
  [{ limits: { maxMessages: 1.5 } }, 'option "limits.maxMessages" is 1.5'],
  [{ limits: { maxMesages: 5 } }, 'no option "limits.maxMesages". Did you mean "maxMessages"?'],
  [{ limits: { prefixes: { 'cron:': 5 } } }, 'option "limits.prefixes["cron:"]" must be an object'],
  [{ limits: { prefixes: { 'cron:': { maxMessages: -1 } } } }, 'option "limits.prefixes["cron:"].maxMessages" is -1'],
  [{ limits: { hardMaxMessages: 5 } }, 'option "limits.hardMaxMessages" needs "onOverflow"'],
  [
    { onOverflow, limits: { maxMessages: 5, hardMaxMessages: 5 } },
    'option "limits.hardMaxMessages" is 5; it must be larger',
  ],
  [
    { onOverflow, limits: { hardMaxMessages: 50, prefixes: { a: { maxMessages: 60 } } } },
    'option "limits.hardMaxMessages" is 50; it must be larger',
  ],
  [{ onOverflow: 'summary' }, 'option "onOverflow" is "summary"; it must be a function'],
  [{ expire: 5 }, 'option "expire" is 5; it must be an object'],
  [{ expire: { idleForMs: -1 } }, 'option "expire.idleForMs" is -1'],
  [{ expire: { idleForMs: 'forever' } }, 'or "never"'],
  [{ expire: { tracesForMs: 'never' } }, 'or "forever"'],
  [{ expire: { idleMs: 5 } }, 'no option "expire.idleMs"'],
  [{ expire: { prefixes: { a: { prefixes: {} } } } }, 'no option "expire.prefixes["a"].prefixes"'],
  [{ retention: {} }, 'option "retention.removedEventsForMs" is missing'],
  [{ retention: { removedEventsForMs: 'never' } }, 'option "retention.removedEventsForMs" is "never"'],
  [{ autoCompact: { deadRatio: 0.5 } }, 'option "autoCompact.minBytes" is missing'],
  [
    { autoCompact: { deadRatio: 50, minBytes: 0 } },
    'option "autoCompact.deadRatio" is 50; it must be a number from 0 to 1',
  ],
  [{ sweep: { intervalMs: 0 } }, 'option "sweep.intervalMs" is 0'],
  [{ sweep: { jitter: 2 } }, 'option "sweep.jitter" is 2'],
  [{ sweep: 'never' }, 'option "sweep" is "never"; it must be an object or "manual"'],
  [{ clock: { now: () => 0, monotonic: 5 } }, 'option "clock" is an object'],
])('%o is refused', async (settings, message) => {
  await expect(openStore({ backend: memoryBackend(), ...settings })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining(message) as string,
  })
})

test('every policy is accepted as documented', async () => {
  const store = await openStore({
    backend: memoryBackend(),
    limits: {
      maxMessages: 200,
      maxSessionBytes: 1e6,
      hardMaxMessages: 1000,
      prefixes: { 'cron:': { maxMessages: 20 } },
    },
    onOverflow,
    expire: { idleForMs: 1000, tracesForMs: 'forever', prefixes: { 'cli:': { idleForMs: 'never' } } },
    retention: { removedEventsForMs: 1000, prefixes: { 'audit:': { removedEventsForMs: 'forever' } } },
    autoCompact: { deadRatio: 0.5, minBytes: 65_536 },
    sweep: { intervalMs: 60_000, jitter: 0.2 },
  })
  await store.close()
})
