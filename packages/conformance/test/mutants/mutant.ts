import type { Target } from '@turnlog/conformance'
import { wrapBackend } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'

/** A backend that breaks one promise, and the cases that must notice. */
export interface Mutant {
  readonly name: string
  readonly caughtBy: readonly string[]
  /** What it was made of. The same cases must pass with it. */
  readonly healthy: Target
  readonly target: Target
  /** It cannot be caught, but neither does it pass: its cases must say that nothing is proven. */
  readonly unproven?: boolean
}

/** What a mutant does differently. `inner` is the right backend underneath. */
export type Defect = (inner: Backend, context: { readonly cleanUp: (work: () => void) => void }) => Partial<Backend>

export const memoryTarget: Target = memoryTargetWith('memory', () => ({}))

/** A memory backend with one defect. */
export function memoryMutant(name: string, caughtBy: readonly string[], defect: Defect): Mutant {
  return { name, caughtBy, healthy: memoryTarget, target: memoryTargetWith(name, defect) }
}

export function memoryTargetWith(name: string, defect: Defect): Target {
  return {
    name,
    async create() {
      const cleanUps: (() => void)[] = []
      const make = (): Backend => {
        const inner = memoryBackend()
        return wrapBackend(inner, { name, ...defect(inner, { cleanUp: (work) => cleanUps.push(work) }) })
      }
      let backend = make()
      return {
        backend,
        async reopen() {
          await backend.close()
          backend = make()
          await backend.open()
          return backend
        },
        async destroy() {
          for (const cleanUp of cleanUps) cleanUp()
          await backend.close()
        },
      }
    },
  }
}

/** Lets others run, as real input and output does. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
