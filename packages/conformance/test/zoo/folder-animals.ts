import type { Target } from '@turnlog/conformance'
import { animals, targetOf } from '../fixtures/folder-animals.js'
import type { Animal } from './animal.ts'

/** Broken variants of a backend that keeps files, for promises that memory cannot break. */
export const folderAnimals: readonly Animal[] = Object.entries(animals).map(
  ([name, { caughtBy, healthy, ...more }]) => ({
    name,
    caughtBy,
    healthy: targetOf(healthy) as Target,
    target: targetOf(name) as Target,
    unproven: 'unproven' in more,
  }),
)
