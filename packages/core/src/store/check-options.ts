import { HISTORY_APIS } from '@turnlog/messages'
import { checkFlag, checkObject, checkWholeNumber, checkWord, describe } from '../errors/check-arguments.ts'
import { nearestName } from '../errors/nearest-name.ts'
import { StoreError } from '../errors/store-error.ts'
import { textHash } from '../ids/text-hash.ts'
import type { Operation } from '../plan/draft.ts'
import type { CutRules } from '../plan/cut.ts'
import type { HistoryShape } from '../view/history-of.ts'
import type { CutOptions, HistoryOptions, WriteOptions } from './session-store.ts'

const MAX_OPERATION_ID_LENGTH = 256

/** Of every write. */
export const WRITE_OPTIONS: readonly string[] = ['expectedVersion', 'operationId']

/** Of whatever cuts. */
const CUT_OPTIONS = ['exact', 'startOn', 'pin']

const HISTORY_OPTIONS = ['limit', 'at', 'repair', 'for', 'copy', ...CUT_OPTIONS]

/** Options of a write as the queue wants them. */
export interface CheckedOptions {
  readonly expectedVersion?: number | undefined
  readonly operation?: Operation
}

/**
 * @param options of which the operation has checked the names
 * @param request what is asked for, as values that JSON can carry; digested only if there is an operation id
 * @throws `INVALID_ARGUMENT`
 */
export function checkWriteOptions(options: WriteOptions | undefined, request: readonly unknown[]): CheckedOptions {
  if (options === undefined) return {}
  const { expectedVersion, operationId } = checkObject('options', options)
  if (expectedVersion !== undefined) checkWholeNumber('expectedVersion', expectedVersion)
  if (operationId !== undefined) checkOperationId(operationId)
  if (operationId === undefined) return { expectedVersion }
  return { expectedVersion, operation: { id: operationId, hash: textHash(JSON.stringify(request)) } }
}

/** @throws `INVALID_ARGUMENT` */
export function checkOperationId(id: unknown): asserts id is string {
  if (typeof id === 'string' && id.length > 0 && id.length <= MAX_OPERATION_ID_LENGTH) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `operationId must be a string of 1 to ${MAX_OPERATION_ID_LENGTH} characters.`,
  )
}

/** Options as an operation wants them: its own, and where it is asked for by itself those of every write. */
export function checkNames(options: object | undefined, own: readonly string[], others: readonly string[]): void {
  if (options !== undefined) checkObject('options', options, [...own, ...others])
}

/** @returns the options of a cut alone. @throws `INVALID_ARGUMENT` */
export function checkCutOptions(options: CutOptions | undefined, others: readonly string[]): CutRules {
  checkNames(options, CUT_OPTIONS, others)
  const { exact, startOn, pin } = options ?? {}
  checkFlag('exact', exact)
  checkWord('startOn', startOn, ['user', 'any'])
  checkWord('pin', pin, ['system', 'none'])
  return { exact, startOn, pin }
}

/** @returns `true` or nothing. @throws `INVALID_ARGUMENT` */
export function checkUnfinished(
  options: { readonly unfinished?: boolean } | undefined,
  others: readonly string[],
): true | undefined {
  checkNames(options, ['unfinished'], others)
  checkFlag('unfinished', options?.unfinished)
  return options?.unfinished === true ? true : undefined
}

/** @returns the options alone. @throws `INVALID_ARGUMENT` */
export function checkHistoryOptions(options: HistoryOptions): HistoryShape & { readonly at: number | undefined } {
  const { limit, at, repair, for: api, copy } = checkObject('options', options, HISTORY_OPTIONS)
  if (limit !== undefined) checkWholeNumber('limit', limit)
  if (at !== undefined) checkWholeNumber('at', at)
  checkFlag('repair', repair)
  checkApi(api)
  checkFlag('copy', copy)
  return { limit, at, repair, for: api, copy, ...checkCutOptions(options, HISTORY_OPTIONS) }
}

function checkApi(api: unknown): void {
  if (api === undefined || HISTORY_APIS.includes(api as string)) return
  const nearest = typeof api === 'string' ? nearestName(api, HISTORY_APIS) : undefined
  const advice = nearest === undefined ? `Known: ${HISTORY_APIS.join(', ')}.` : `Did you mean "${nearest}"?`
  const shown = typeof api === 'string' ? JSON.stringify(api) : describe(api)
  throw new StoreError('INVALID_ARGUMENT', `for must be the name of an API, got ${shown}. ${advice}`)
}
