import type { ApiRules } from './api-rules.ts'

/**
 * The Messages API: https://docs.claude.com/en/api/messages. Results stand in the next user message, in front of its
 * text (https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use); messages are never empty; there
 * is no system role; at most four blocks carry `cache_control` (https://docs.claude.com/en/docs/build-with-claude/
 * prompt-caching); the last block is never thinking. Neighbours of one role are joined by the API. Older endpoints
 * want the user first. Signed thinking stays as it is, or goes with its whole message.
 *
 * Claude 4.6 and later refuse an assistant message at the very end (no prefill). A history ends so after each turn,
 * and the program adds what the user says next; so it stays.
 */
export const anthropicApi: ApiRules = {
  name: 'anthropic',
  beginsWithUser: true,
  system: 'never',
  refusesEmpty: true,
  refusesBlankParts: true,
  refusesThinkingAtEnd: true,
  maxCacheMarks: 4,
}
