/** What an API asks of a history beyond whole pairs. Each file beside this one says where its rules come from. */
export interface ApiRules {
  readonly name: string
  /** The first message that is no system message must be a text of the user. */
  readonly beginsWithUser?: boolean
  /** Where system and developer messages may stand: anywhere if it is not given; at the beginning, as one; nowhere. */
  readonly system?: 'first' | 'never'
  /** User and assistant speak in turn, results count for neither: neighbours become one message. */
  readonly alternates?: boolean
  /** The results of one message with calls stand in one message. */
  readonly joinsResults?: boolean
  /** A message may not be empty, nor consist of blank text or of reasoning alone. */
  readonly refusesEmpty?: boolean
  /** A blank text among other parts is refused too. */
  readonly refusesBlankParts?: boolean
  /** An assistant message may not end with what it thought. */
  readonly refusesThinkingAtEnd?: boolean
  /** A reasoning item stands only in front of what it led to. */
  readonly refusesLoneReasoning?: boolean
  /** At most so many `cache_control` marks; the newest stay. */
  readonly maxCacheMarks?: number
  /** The answer to an approval stands in front of the result, or the tool runs again. */
  readonly wantsApprovalsFirst?: boolean
}
