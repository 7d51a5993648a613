import { readFileSync } from 'node:fs'
import * as core from '@turnlog/core'
import * as turnlog from 'turnlog'
import { expect, test } from 'vitest'

function exportedNames(file: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) => names.split(','))
  return lists.map((name) => name.trim()).filter((name) => name !== '')
}

test('everything that core exports is exported here, types as well', () => {
  const own = new Set(exportedNames('../src/index.ts'))
  expect(exportedNames('../../core/src/index.ts').filter((name) => !own.has(name))).toEqual([])
  expect(Object.keys(turnlog)).toEqual(
    expect.arrayContaining([...Object.keys(core), 'leveldbBackend', 'jsonlBackend', 'memoryBackend']),
  )
})
