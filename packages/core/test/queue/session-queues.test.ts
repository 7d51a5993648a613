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

test('what an operation does afterwards is not joined by a write, also when so many sessions come that idle queues leave', async () => {
  const queues = queuesOfNothing()
  const order: string[] = []
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const afterwards = async (): Promise<void> => {
    order.push('begin')
    await finished
    order.push('end')
  }
  const first = queues.enqueue('a', { ...intent(), afterwards })
  const second = queues.enqueue(
    'a',
    intent(() => order.push('second')),
  )
  await Promise.all(Array.from({ length: 1000 }, (_, index) => queues.enqueue(`b${index}`, intent())))
  const third = queues.enqueue(
    'a',
    intent(() => order.push('third')),
  )
  expect(order).toEqual(['begin'])
  finish()
  await Promise.all([first, second, third])
  expect(order).toEqual(['begin', 'end', 'second', 'third'])
})

test('a failure afterwards is told to the one whose it is, and the next operation goes on', async () => {
  const queues = queuesOfNothing()
  const afterwards = (): Promise<void> => Promise.reject(new Error('the disk is full'))
  const before = queues.enqueue('a', intent())
  const failing = queues.enqueue('a', { ...intent(), afterwards })
  const behind = queues.enqueue('a', intent())
  await expect(failing).rejects.toThrow('the disk is full')
  await Promise.all([before, behind])
})

test('a session is busy while something waits, and not because it was written to', async () => {
  const queues = queuesOfNothing()
  const write = queues.enqueue('a', intent())
  expect([queues.isBusy('a'), queues.isBusy('b')]).toEqual([true, false])
  await write
  await queues.idle()
  expect(queues.isBusy('a')).toBe(false)
})
