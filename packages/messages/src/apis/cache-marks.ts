import { isFields } from '../formats/fields.ts'
import type { RepairEntry } from '../pairs/repair-entry.ts'
import type { RepairReport } from '../pairs/repair-report.ts'

/** Takes the oldest `cache_control` marks off until no more are left than allowed: the newest are worth the most. */
export function limitCacheMarks(
  entries: readonly RepairEntry[],
  max: number,
  report: RepairReport,
): readonly RepairEntry[] {
  let left = max
  const limited = entries.toReversed().map((entry) => {
    const marks = countMarks(entry.message)
    if (marks <= left) {
      left -= marks
      return entry
    }
    report.add(entry.sources, 'dropped-cache-mark')
    const message = withMarks(entry.message, { skip: marks - left }) as object
    left = 0
    return { message, sources: entry.sources }
  })
  return limited.reverse()
}

function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMarks(item), 0)
  if (!isFields(value)) return 0
  const own = isFields(value['cache_control']) ? 1 : 0
  return own + countMarks(value['content']) + (isFields(value['message']) ? countMarks(value['message']) : 0)
}

/** Without the first so many marks. Only below `content`: what a tool was given is no block. */
function withMarks(value: unknown, count: { skip: number }): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[]).map((item) => withMarks(item, count))
  if (!isFields(value)) return value
  const fields = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name === 'cache_control' && isFields(inner) && count.skip > 0) {
      count.skip--
      return []
    }
    return [[name, name === 'content' || name === 'message' ? withMarks(inner, count) : inner]]
  })
  return Object.fromEntries(fields)
}
