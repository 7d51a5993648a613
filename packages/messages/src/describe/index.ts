export { describeMessage } from './describe-message.ts'

export type { Block, DescribedMessage } from './describe-message.ts'
