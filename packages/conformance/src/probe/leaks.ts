import type { Image } from './damage.ts'

/** As little of a stored text as a parser shows of it, and more than chance can bring together. */
const SHOWN = 8

/** Looks for any part of what an image stores, in events and projections. */
export function leaksOf(image: Image): (said: string) => readonly string[] {
  const parts = new Set<string>()
  for (const { states } of image.sessions) {
    for (const { events, head } of states) {
      const texts = [
        ...events.map((event) => event['message']),
        (head?.projection as { text?: string } | undefined)?.text,
      ]
      for (const text of texts) {
        if (typeof text !== 'string') continue
        for (let at = 0; at + SHOWN <= text.length; at++) parts.add(text.slice(at, at + SHOWN))
      }
    }
  }
  return (said) => {
    const found = new Set<string>()
    for (let at = 0; at + SHOWN <= said.length; at++) {
      const part = said.slice(at, at + SHOWN)
      if (parts.has(part)) found.add(part)
    }
    return [...found]
  }
}
