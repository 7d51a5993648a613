export { fileSystemType } from './file-system-type.ts'
export { isLocal } from './is-local.ts'
export { giveLifeSign, isAlive, isContained } from './life-sign.ts'
export type { LifeSign } from './life-sign.ts'
