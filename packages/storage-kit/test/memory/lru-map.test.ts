import { LruMap } from '@turnlog/storage-kit'
import { expect, test } from 'vitest'

function filled(...inUse: string[]): LruMap<{ key: string }> {
  const map = new LruMap<{ key: string }>(({ key }) => inUse.includes(key))
  for (const key of ['a', 'b', 'c', 'd']) map.set(key, { key })
  return map
}

function shrunk(map: LruMap<{ key: string }>, keep: number): string[] {
  const removed: string[] = []
  map.shrink(keep, ({ key }) => removed.push(key))
  return removed
}

test('what was not used for longest leaves first, and nothing as long as there is room', () => {
  const map = filled()
  map.get('a')
  expect(shrunk(map, 4)).toEqual([])
  expect(shrunk(map, 2)).toEqual(['b', 'c'])
  expect(map.get('a')).toEqual({ key: 'a' })
  expect(map.get('b')).toBeUndefined()
})

test('what is in use stays, however much it is', () => {
  const map = filled('a', 'b', 'd')
  expect(shrunk(map, 1)).toEqual(['c'])
  expect(map.size).toBe(3)
  expect(map.values().map(({ key }) => key)).toEqual(expect.arrayContaining(['a', 'b', 'd']))
})
