import type { ApiRules } from './api-rules.ts'

/**
 * `generateContent`: a function call comes directly behind the user or a function response, the responses directly
 * behind it in one content, as many as there were calls (https://ai.google.dev/gemini-api/docs/function-calling). The
 * only roles are user and model, in turn as the chats of the SDK want them. Thought signatures lie in the parts, which
 * stay as they are (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const geminiApi: ApiRules = {
  name: 'gemini',
  beginsWithUser: true,
  system: 'never',
  alternates: true,
  joinsResults: true,
  refusesEmpty: true,
}
