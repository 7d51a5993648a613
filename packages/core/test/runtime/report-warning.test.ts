import { once } from 'node:events'

import { expect, test } from 'vitest'

import { reportWarning } from '../../src/runtime/report-warning.ts'
import type { StoreWarning } from '../../src/runtime/store-warning.ts'

const warning: StoreWarning = { code: 'FALLBACK_USED', message: 'Using another backend.' }

test('a warning goes to onWarning', () => {
  const seen: StoreWarning[] = []
  reportWarning({ onWarning: (each) => seen.push(each) }, warning)
  expect(seen).toEqual([warning])
})

test('without onWarning a warning is a warning of the process', async () => {
  const emitted = once(process, 'warning')
  reportWarning({}, warning)
  expect(await emitted).toMatchObject([{ name: 'TurnlogWarning', code: 'FALLBACK_USED', message: warning.message }])
})

test('an onWarning that throws fails nothing, and the warning is not lost', async () => {
  const emitted = once(process, 'warning')
  reportWarning(
    {
      onWarning: () => {
        throw new Error('broken callback')
      },
    },
    warning,
  )
  expect(await emitted).toMatchObject([{ code: 'FALLBACK_USED' }])
})
