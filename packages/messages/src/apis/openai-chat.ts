import type { ApiRules } from './api-rules.ts'

/**
 * Chat Completions, and the servers that speak it. An assistant message with `tool_calls` must be followed by tool
 * messages that answer each of them: https://platform.openai.com/docs/guides/function-calling. Servers that speak the
 * same protocol refuse an assistant message without content and calls. `reasoning_content` stays as it is: DeepSeek
 * wants it back after tool calls (https://api-docs.deepseek.com/guides/thinking_mode).
 */
export const openaiChatApi: ApiRules = { name: 'openai-chat', refusesEmpty: true }
