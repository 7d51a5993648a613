import type { ApiRules } from './api-rules.ts'

/**
 * Chat v2: a tool message answers a call of the assistant message in front of it, and no message is empty
 * (https://docs.cohere.com/docs/tool-use-overview).
 */
export const cohereApi: ApiRules = { name: 'cohere', refusesEmpty: true }
