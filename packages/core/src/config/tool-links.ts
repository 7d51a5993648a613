/** Which tool calls a message makes and which ones it answers, by call id. */
export interface ToolLinks {
  readonly calls: readonly string[]
  readonly results: readonly string[]
}
