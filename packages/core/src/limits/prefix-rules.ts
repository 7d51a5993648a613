/** A policy with other values for keys that begin in some way. */
export type WithPrefixes<Rules extends object> = Rules & {
  /**
   * Other values for the keys that begin with a prefix, such as `{ 'cron:': { ... } }`. The longest prefix that
   * matches counts; what it leaves out is as for all other keys.
   * @default the same for all keys
   */
  readonly prefixes?: Readonly<Record<string, Rules>>
}

/** The rules for each key. */
export function prefixRules<Rules extends object>(policy: WithPrefixes<Rules>): (key: string) => Rules {
  const { prefixes = {}, ...general } = policy
  const rules = general as unknown as Rules
  const longestFirst = Object.entries(prefixes)
    .map(([prefix, own]) => ({ prefix, rules: { ...rules, ...own } }))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  if (longestFirst.length === 0) return () => rules
  return (key) => longestFirst.find(({ prefix }) => key.startsWith(prefix))?.rules ?? rules
}
