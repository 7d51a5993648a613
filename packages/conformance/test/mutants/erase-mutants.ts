import { memoryMutant } from './mutant.ts'
import type { Mutant } from './mutant.ts'

export const eraseMutants: readonly Mutant[] = [
  memoryMutant('erases without comparing', ['erase.compares', 'erase.race', 'model.commands'], (inner) => ({
    async erase(session) {
      const head = await inner.head(session)
      await inner.erase(session, head?.last ?? 0)
    },
  })),
  memoryMutant('erases nothing', ['erase.removes'], () => ({ erase: () => Promise.resolve() })),
  memoryMutant('fails to erase what does not exist', ['erase.missing'], (inner) => ({
    async erase(session, expectedLast) {
      await inner.erase(session, (await inner.head(session)) === undefined ? expectedLast + 1 : expectedLast)
    },
  })),
  memoryMutant('only hides what is erased from lists', ['erase.removes', 'erase.begins-anew'], (inner) => {
    const hidden = new Set<string>()
    return {
      async erase(session, expectedLast) {
        if ((await inner.head(session))?.last === expectedLast) hidden.add(session)
        else await inner.erase(session, expectedLast)
      },
      list: async function* (range) {
        for await (const batch of inner.list(range)) yield batch.filter((head) => !hidden.has(head.session))
      },
    }
  }),
  memoryMutant(
    'gives a new incarnation the old incarnation',
    ['erase.begins-anew', 'erase.stale-incarnation'],
    (inner) => {
      const firsts = new Map<string, string>()
      return {
        async append(session, { last, incarnation }, ...rest) {
          if (!firsts.has(session)) firsts.set(session, incarnation)
          await inner.append(session, { last, incarnation: firsts.get(session) ?? incarnation }, ...rest)
        },
      }
    },
  ),
  memoryMutant('erases every session whose key begins with the key', ['erase.sessions-apart'], (inner) => ({
    async erase(session, expectedLast) {
      await inner.erase(session, expectedLast)
      for await (const batch of inner.list({ prefix: session }))
        for (const { session: key, last } of batch) await inner.erase(key, last)
    },
  })),
  memoryMutant('cannot erase what is all trimmed', ['erase.trimmed'], (inner) => ({
    async erase(session, expectedLast) {
      const head = await inner.head(session)
      if (head === undefined || head.first <= head.last) await inner.erase(session, expectedLast)
    },
  })),
]
