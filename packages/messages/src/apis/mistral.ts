import type { ApiRules } from './api-rules.ts'

/**
 * Chat of Mistral. Its own validator (https://github.com/mistralai/mistral-common, `protocol/instruct/validator.py`) wants
 * one system message at the beginning, the assistant behind results, never the user, and content or calls in every
 * assistant message.
 */
export const mistralApi: ApiRules = {
  name: 'mistral',
  beginsWithUser: true,
  system: 'first',
  alternates: true,
  refusesEmpty: true,
}
