/** A policy with other values for keys that begin in some way. */
export type WithPrefixes<Rules extends object> = Rules & {
  /**
   * Other values for the keys that begin with a prefix, such as `{ 'cron:': { ... } }`. The longest prefix that
   * matches counts; what it leaves out is as for all other keys.
   * @default the same for all keys
   */
  readonly prefixes?: Readonly<Record<string, Rules>>
}

/** What is made of the rules for each key, once for each set of rules. */
export function prefixRules<Rules extends object, Made>(
  policy: WithPrefixes<Rules>,
  make: (rules: Rules) => Made,
): (key: string) => Made {
  const { prefixes = {}, ...general } = policy
  const rules = general as unknown as Rules
  const usual = make(rules)
  const longestFirst = Object.entries(prefixes)
    .map(([prefix, own]) => ({ prefix, made: make({ ...rules, ...own }) }))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  if (longestFirst.length === 0) return () => usual
  return (key) => longestFirst.find(({ prefix }) => key.startsWith(prefix))?.made ?? usual
}
