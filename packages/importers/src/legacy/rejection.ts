import type { StoreErrorCode } from '@turnlog/core/backend'
import type { MigrationStatus } from './migration-report.ts'

/** Why a legacy file is not imported. Ends the way of that file only. */
export class Rejection extends Error {
  readonly status: Extract<MigrationStatus, 'invalid' | 'failed' | 'skipped'>
  readonly code: StoreErrorCode | undefined
  readonly key: string | undefined

  constructor(
    status: Extract<MigrationStatus, 'invalid' | 'failed' | 'skipped'>,
    reason: string,
    details: { readonly code?: StoreErrorCode; readonly key?: string; readonly cause?: unknown } = {},
  ) {
    super(reason, { cause: details.cause })
    this.status = status
    this.code = details.code
    this.key = details.key
  }
}
