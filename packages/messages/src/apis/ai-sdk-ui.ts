import type { ApiRules } from './api-rules.ts'

/**
 * `UIMessage`, as `validateUIMessages` of the AI SDK takes it: at least one part in each message, no call that is open
 * but the last. Call and result are one part, so nothing has to move.
 */
export const aiSdkUiApi: ApiRules = { name: 'ai-sdk-ui' }
