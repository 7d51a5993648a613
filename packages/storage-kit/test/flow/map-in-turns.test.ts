import { mapInTurns } from '@turnlog/storage-kit'
import { expect, test } from 'vitest'

test('others have their turn after so many items, and the order stays', async () => {
  const done: number[] = []
  let seenByOthers: number[] | undefined
  setImmediate(() => (seenByOthers = [...done]))
  const results = await mapInTurns([1, 2, 3, 4, 5], 2, (item) => {
    done.push(item)
    return 10 * item
  })
  expect(results).toEqual([10, 20, 30, 40, 50])
  expect(seenByOthers).toEqual([1, 2])
})
