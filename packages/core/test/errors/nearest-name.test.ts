import { expect, test } from 'vitest'

import { nearestName } from '../../src/errors/nearest-name.ts'

const known = ['leveldb', 'jsonl', 'memory']

test.each([
  ['levledb', 'leveldb'],
  ['LevelDB', 'leveldb'],
  ['level-db', 'leveldb'],
  ['json', 'jsonl'],
  ['memry', 'memory'],
])('%s is taken for %s', (given, name) => {
  expect(nearestName(given, known)).toBe(name)
})

test.each(['redis', 'x', '', 'mongodb'])('%j is not near to any', (given) => {
  expect(nearestName(given, known)).toBeUndefined()
})
