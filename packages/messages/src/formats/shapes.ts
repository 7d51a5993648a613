import { agentsItems, agentsItemsDescription, agentsItemsRedaction } from './agents-items.ts'
import { aiSdkModelParts, aiSdkModelPartsDescription, aiSdkModelPartsRedaction } from './ai-sdk-model-parts.ts'
import { aiSdkUiParts, aiSdkUiPartsRedaction } from './ai-sdk-ui-parts.ts'
import { anthropicBlocks, anthropicBlocksDescription, anthropicBlocksRedaction } from './anthropic-blocks.ts'
import { bedrockBlocks, bedrockBlocksDescription, bedrockBlocksRedaction } from './bedrock-blocks.ts'
import { camelChat, camelChatDescription, camelChatRedaction } from './camel-chat.ts'
import { geminiParts, geminiPartsDescription, geminiPartsRedaction } from './gemini-parts.ts'
import { openaiChat, openaiChatDescription, openaiChatRedaction } from './openai-chat.ts'
import { responsesItems, responsesItemsDescription, responsesItemsRedaction } from './responses-items.ts'
import { ollamaChat, ollamaChatDescription, ollamaChatRedaction } from './ollama-chat.ts'
import { langchain, langchainDescription, langchainRedaction } from './langchain.ts'
import { genkitParts, genkitPartsDescription, genkitPartsRedaction } from './genkit-parts.ts'
import {
  toolInvocationParts,
  toolInvocationPartsDescription,
  toolInvocationPartsRedaction,
} from './tool-invocation-parts.ts'
import { tanstackParts, tanstackPartsDescription, tanstackPartsRedaction } from './tanstack-parts.ts'
import { piMessages, piMessagesDescription, piMessagesRedaction } from './pi-messages.ts'
import { gooseMessages, gooseMessagesDescription, gooseMessagesRedaction } from './goose-messages.ts'
import type { Description } from './description.ts'
import type { Redaction } from './redaction.ts'
import type { Shape } from './shape.ts'

// Three lists and not one of objects, so that a bundle takes of each format only the part that it uses.

/** In the order asked; the first that finds a link in a message speaks for it. */
export const shapes: readonly Shape[] = [
  openaiChat,
  responsesItems,
  agentsItems,
  anthropicBlocks,
  geminiParts,
  aiSdkModelParts,
  aiSdkUiParts,
  camelChat,
  bedrockBlocks,
  ollamaChat,
  langchain,
  genkitParts,
  toolInvocationParts,
  tanstackParts,
  piMessages,
  gooseMessages,
]

/** In the order asked. */
export const descriptions: readonly Description[] = [
  openaiChatDescription,
  responsesItemsDescription,
  agentsItemsDescription,
  anthropicBlocksDescription,
  geminiPartsDescription,
  tanstackPartsDescription,
  aiSdkModelPartsDescription,
  camelChatDescription,
  bedrockBlocksDescription,
  ollamaChatDescription,
  langchainDescription,
  genkitPartsDescription,
  toolInvocationPartsDescription,
  piMessagesDescription,
  gooseMessagesDescription,
]

/** All of them together. */
export const redactions: readonly Redaction[] = [
  openaiChatRedaction,
  responsesItemsRedaction,
  agentsItemsRedaction,
  anthropicBlocksRedaction,
  geminiPartsRedaction,
  aiSdkModelPartsRedaction,
  aiSdkUiPartsRedaction,
  camelChatRedaction,
  bedrockBlocksRedaction,
  ollamaChatRedaction,
  langchainRedaction,
  genkitPartsRedaction,
  toolInvocationPartsRedaction,
  tanstackPartsRedaction,
  piMessagesRedaction,
  gooseMessagesRedaction,
]
