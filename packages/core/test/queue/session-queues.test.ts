import { expect, test } from 'vitest'
import { memoryBackend } from '../../src/memory/index.ts'
import type { Intent } from '../../src/queue/intent.ts'
import { SessionQueues } from '../../src/queue/session-queues.ts'
import { emptyState } from '../../src/view/session-state.ts'

function queuesOfNothing(): SessionQueues<object> {
  return new SessionQueues<object>({
    backend: memoryBackend(),
    now: () => 0,
    load: async () => emptyState(),
    loadToAdd: () => emptyState(),
    settled: () => undefined,
    forget: () => undefined,
  })
}

/** An operation that writes nothing, and says when it is planned. */
function intent(plan: () => void = () => undefined): Intent<object, object> {
  return { bytes: 0, onlyAdds: true, plan }
}

test('whoever has a session to himself is not joined by a write that comes when idle queues leave', async () => {
  const queues = queuesOfNothing()
  const order: string[] = []
  const first = queues.enqueue('a', intent())
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const exclusive = queues.exclusively('a', async () => {
    order.push('begin')
    await finished
    order.push('end')
  })
  await first
  // In this very turn nothing is under way in the queue of a, and so many others come that idle queues leave.
  const others = Array.from({ length: 1000 }, (_, index) => queues.enqueue(`b${index}`, intent()))
  const second = queues.enqueue(
    'a',
    intent(() => order.push('write')),
  )
  await Promise.all(others)
  finish()
  await Promise.all([exclusive, second])
  expect(order.indexOf('end')).toBe(order.indexOf('begin') + 1)
})

test('a session is busy while something waits, and not because it was written to', async () => {
  const queues = queuesOfNothing()
  const write = queues.enqueue('a', intent())
  expect([queues.isBusy('a'), queues.isBusy('b')]).toEqual([true, false])
  await write
  await queues.idle()
  expect(queues.isBusy('a')).toBe(false)
})
