export { CONTRACT } from './backend.ts'
export type {
  AppendOptions,
  Backend,
  Expected,
  Head,
  ListRange,
  OpenFinding,
  OpenOptions,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from './backend.ts'
export type { BackendDriver, DriverFactory } from './backend-driver.ts'
export type { BackendDefinition, BackendOptions, LockDescription, StorePlace } from './backend-definition.ts'
export type { Capabilities, Durability } from './capabilities.ts'
export type { BackendRegistry } from './backend-registry.ts'
export { isBackend } from './is-backend.ts'
export { isDamage, listIntactSessions } from './list-intact.ts'
export type { OnDamaged } from './list-intact.ts'
export { UNFINISHED_COPY } from './unfinished-copy.ts'
export {
  aBoolean,
  aDurability,
  checkBackendOptions,
  invalidOption,
  numberBetween,
  pathOf,
  wholeNumberBetween,
} from './check-backend-options.ts'
export type { BackendRules } from './check-backend-options.ts'
export { checkRead, clipRanges } from './clip-ranges.ts'
export { eraseConflict } from './erase-conflict.ts'
export type { EventRecord } from './event-record.ts'
export { guardBackend } from './guard-backend.ts'
export type {
  BackendVerifyReport,
  Maintenance,
  MaintenanceOptions,
  Problem,
  RepairOptions,
  RepairReport,
  Sizes,
} from './maintenance.ts'
export { planAppend } from './plan-append.ts'
export type { AppendPlan } from './plan-append.ts'
export { problemOf } from './problem-of.ts'
export { PROJECTION_FIELDS_V1 } from './projection-fields.ts'
export { wrapBackend } from './wrap-backend.ts'
export type { BackendOverrides } from './wrap-backend.ts'
export { isStoreError, StoreError } from '../errors/store-error.ts'
export type { StoreErrorCode, StoreErrorDetails } from '../errors/store-error.ts'
export type { Json, JsonObject } from '../json/json.ts'
export { compareKeys } from '../keys/compare-keys.ts'
export { newId } from '../ids/new-id.ts'
export { textHash } from '../ids/text-hash.ts'
export { checkKey, checkKeyText } from '../keys/check-key.ts'
export { freezeAndMeasure } from '../normalise/freeze.ts'
export { sameJson } from '../normalise/same-json.ts'
