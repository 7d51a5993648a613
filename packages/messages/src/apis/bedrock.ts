import type { ApiRules } from './api-rules.ts'

/**
 * Converse: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html. Begins with the user, roles
 * in turn, the results of all calls in the next user message, no blank text. Many models refuse a text beside results
 * ("Conversation blocks and tool result blocks cannot be provided in the same turn",
 * https://github.com/strands-agents/harness-sdk/issues/1223), so the assistant gets a word in between.
 */
export const bedrockApi: ApiRules = {
  name: 'bedrock',
  beginsWithUser: true,
  system: 'never',
  alternates: true,
  joinsResults: true,
  refusesEmpty: true,
  refusesBlankParts: true,
}
