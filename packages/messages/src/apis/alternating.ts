import type { ApiRules } from './api-rules.ts'

/**
 * Chat messages for servers whose template demands user and assistant in turn behind an optional system message
 * ("Conversation roles must alternate", as in the chat templates of Mistral, Gemma and Llama 2 on vLLM and llama.cpp).
 */
export const alternatingApi: ApiRules = {
  name: 'alternating',
  beginsWithUser: true,
  system: 'first',
  alternates: true,
  refusesEmpty: true,
}
