import type { ApiRules } from './api-rules.ts'

/**
 * `ModelMessage`: `generateText` throws `MissingToolResultsError` where a call has no result before the next user or
 * system message. It runs a tool that was approved unless the result stands in the same message, so an approval never
 * comes behind its result.
 */
export const aiSdkModelApi: ApiRules = { name: 'ai-sdk-model', refusesEmpty: true, wantsApprovalsFirst: true }
