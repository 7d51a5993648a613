import { EventEmitter, once } from 'node:events'

import { ClassicLevel } from 'classic-level'
import { expect, test, vi } from 'vitest'

import { grow, openBackend, temporaryDirectory } from './sample-store.ts'

test('a trim that comes while the space of the one before is reclaimed is carried out as well', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  const rowBytes = async (): Promise<number> => (await backend.maintenance?.verify())?.bytes ?? 0
  for (let round = 0; round < 20; round++) await grow(backend, 'a', 1000)
  const last = await grow(backend, 'a', 1000)
  const compactRange = Reflect.get(ClassicLevel.prototype, 'compactRange') as ClassicLevel['compactRange']
  const signals = new EventEmitter()
  vi.spyOn(ClassicLevel.prototype, 'compactRange').mockImplementationOnce(async function (
    this: ClassicLevel,
    ...range
  ) {
    signals.emit('compacting')
    await once(signals, 'trimmed')
    await compactRange.apply(this, range)
  })
  const isCompacting = once(signals, 'compacting')
  await grow(backend, 'a', 1, { trimBefore: last - 2000 })
  await isCompacting
  const before = await rowBytes()
  await grow(backend, 'a', 1, { trimBefore: last })
  signals.emit('trimmed')
  await expect.poll(rowBytes).toBeLessThan(before / 10)
})
