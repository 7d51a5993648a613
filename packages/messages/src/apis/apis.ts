import { aiSdkModelApi } from './ai-sdk-model.ts'
import { aiSdkUiApi } from './ai-sdk-ui.ts'
import { alternatingApi } from './alternating.ts'
import { anthropicApi } from './anthropic.ts'
import type { ApiRules } from './api-rules.ts'
import { bedrockApi } from './bedrock.ts'
import { cohereApi } from './cohere.ts'
import { geminiApi } from './gemini.ts'
import { mistralApi } from './mistral.ts'
import { openaiChatApi } from './openai-chat.ts'
import { openaiResponsesApi } from './openai-responses.ts'

/** An API that a history can be made for. */
export type HistoryApi =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'mistral'
  | 'cohere'
  | 'alternating'
  | 'ai-sdk-ui'
  | 'ai-sdk-model'

export const apis: { readonly [name in HistoryApi]: ApiRules } = {
  'openai-chat': openaiChatApi,
  'openai-responses': openaiResponsesApi,
  anthropic: anthropicApi,
  gemini: geminiApi,
  bedrock: bedrockApi,
  mistral: mistralApi,
  cohere: cohereApi,
  alternating: alternatingApi,
  'ai-sdk-ui': aiSdkUiApi,
  'ai-sdk-model': aiSdkModelApi,
}

export const HISTORY_APIS: readonly string[] = Object.keys(apis)
