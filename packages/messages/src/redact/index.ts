export { redactAll, redactMessage } from './redact-message.ts'
