import type { Fields } from './fields.ts'
import type { Answer, Link, Links, Shape } from './shape.ts'

export interface ItemShapeOptions {
  readonly name: string
  /** By type of call: the item that answers it, or undefined if none can be made up. */
  readonly calls: ReadonlyMap<string, (call: Fields, id: string) => object | undefined>
  readonly results: ReadonlySet<string>
  callId(item: Fields): unknown
  resultId(item: Fields): unknown
}

/** Formats in which every call and every result is an item of its own. */
export function itemShape(options: ItemShapeOptions): Shape {
  return {
    name: options.name,
    isItems: true,

    read(item: Fields): Links | undefined {
      const type = item['type']
      if (typeof type !== 'string') return undefined
      if (options.calls.has(type)) {
        const id = options.callId(item)
        if (typeof id === 'string') return { calls: [{ id, part: 0 }], results: [] }
      }
      if (options.results.has(type)) {
        const id = options.resultId(item)
        if (typeof id === 'string') return { calls: [], results: [{ id, part: 0 }] }
      }
      return undefined
    },

    // An item has no parts that could stay behind.
    rewrite: () => undefined,

    pick: (item) => item,

    answer(item: Fields, call: Link): Answer | undefined {
      const reply = options.calls.get(String(item['type']))?.(item, call.id)
      return reply === undefined ? undefined : { reply }
    },
  }
}
