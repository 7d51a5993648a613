import type { ApiRules } from './api-rules.ts'

/**
 * The Responses API. Every `*_call` needs its `*_output` and the other way round, and a reasoning item must be followed
 * by the item it led to: https://platform.openai.com/docs/guides/reasoning ("keeping reasoning items in context").
 */
export const openaiResponsesApi: ApiRules = { name: 'openai-responses', refusesEmpty: true, refusesLoneReasoning: true }
