import type { Animal } from './animal.ts'
import { appendAnimals } from './append-animals.ts'
import { eraseAnimals } from './erase-animals.ts'
import { folderAnimals } from './folder-animals.ts'
import { keyAnimals } from './key-animals.ts'
import { lifecycleAnimals } from './lifecycle-animals.ts'
import { listAnimals } from './list-animals.ts'
import { readAnimals } from './read-animals.ts'
import { valueAnimals } from './value-animals.ts'

/** Every broken backend. One that survives its cases fails the build. */
export const zoo: readonly Animal[] = [
  ...appendAnimals,
  ...eraseAnimals,
  ...readAnimals,
  ...listAnimals,
  ...keyAnimals,
  ...valueAnimals,
  ...lifecycleAnimals,
  ...folderAnimals,
]
