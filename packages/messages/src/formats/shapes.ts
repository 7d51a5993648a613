import { agentsItems } from './agents-items.ts'
import { aiSdkModelParts } from './ai-sdk-model-parts.ts'
import { aiSdkUiParts } from './ai-sdk-ui-parts.ts'
import { anthropicBlocks } from './anthropic-blocks.ts'
import { geminiParts } from './gemini-parts.ts'
import { openaiChat } from './openai-chat.ts'
import { responsesItems } from './responses-items.ts'
import type { Shape } from './shape.ts'

/** In the order asked; the first that finds a link in a message speaks for it. */
export const shapes: readonly Shape[] = [
  openaiChat,
  responsesItems,
  agentsItems,
  anthropicBlocks,
  geminiParts,
  aiSdkModelParts,
  aiSdkUiParts,
]
