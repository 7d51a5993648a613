/**
 * What of a format a redaction keeps, named by its place: what it does not name is replaced. Arguments and results are
 * never structure, whatever their fields are called.
 */
export interface Redaction {
  /** Fields that pair calls with results: kept in messages, calls and results. */
  readonly ids?: readonly string[]
  /** Further fields of a message that the format fills, not people. */
  readonly messageFields?: readonly string[]
  /** Further fields of a call or a result. */
  readonly toolFields?: readonly string[]
  /** The types of the parts that are calls or results. */
  readonly toolPart?: RegExp
  /** Fields of a message in which a call lies, or several. */
  readonly calls?: readonly string[]
  /** The same, where the name and the arguments of each call lie one object further down. */
  readonly namedCalls?: readonly string[]
  /** Fields of a tool message in which a call or a result lies. */
  readonly callsOfTools?: readonly string[]
  /** Fields of a part in which a call or a result lies. */
  readonly callsInParts?: readonly string[]
  /** Roles, beside `tool` and `function`, whose messages are results as a whole. */
  readonly toolRoles?: readonly string[]
  /** Whether this field is structure although it is no text. */
  isStructure?(name: string, value: unknown): boolean
  /** Whether this field of an entry holds the message itself. */
  holdsMessage?(name: string, value: unknown): boolean
}
