import { parseStoreString } from 'turnlog'
import { describe, expect, test } from 'vitest'

describe('parseStoreString', () => {
  test.each([
    ['leveldb:./data', { backend: 'leveldb', path: './data' }],
    ['leveldb:./data?durability=os', { backend: 'leveldb', path: './data', durability: 'os' }],
    ['jsonl:/var/data', { backend: 'jsonl', path: '/var/data' }],
    ['jsonl:C:\\data', { backend: 'jsonl', path: 'C:\\data' }],
    ['memory:', { backend: 'memory' }],
    ['my-backend:x', { backend: 'my-backend', path: 'x' }],
    ['./data', { path: './data' }],
    ['data', { path: 'data' }],
    ['C:\\data', { path: 'C:\\data' }],
    ['c:/data', { path: 'c:/data' }],
    ['LevelDB:data', { path: 'LevelDB:data' }],
    ['@scope/backend:data', { path: '@scope/backend:data' }],
    ['./a:b', { path: './a:b' }],
    ['jsonl:a%20b', { backend: 'jsonl', path: 'a%20b' }],
  ])('reads %j', (text, config) => {
    expect(parseStoreString(text)).toEqual(config)
  })

  test('types numbers, true and false, and hands unknown options to the backend', () => {
    expect(
      parseStoreString('leveldb:d?cacheBytes=1024&ratio=0.5&compress=true&check=false&tag=007&name=a%20b'),
    ).toEqual({
      backend: 'leveldb',
      path: 'd',
      backendOptions: { cacheBytes: 1024, ratio: 0.5, compress: true, check: false, tag: '007', name: 'a b' },
    })
  })

  test('keeps an option called __proto__ an option', () => {
    const { backendOptions } = parseStoreString('leveldb:d?__proto__=1')
    expect(Object.keys(backendOptions ?? {})).toEqual(['__proto__'])
  })

  test.each([
    ['', '"path" is ""'],
    ['leveldb:', '"path" is missing'],
    ['leveldb:d?durability=fast', '"durability" is "fast"'],
    ['leveldb:d?durability=os&durability=os', '"durability" is there twice'],
    ['leveldb:d?compress', '"compress" has no value'],
    ['leveldb:d?path=e', '"backendOptions.path" has to be given as "path"'],
    ['./data?durability=os', 'options need a backend in front'],
    ['memory:./data', 'the memory backend takes no path'],
  ])('refuses %j and names the option', (text, message) => {
    expect(() => parseStoreString(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
    )
  })

  test('does not repeat a query, which may hold a password', () => {
    expect(() => parseStoreString('leveldb:d?password=hunter2&empty=')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })
})
