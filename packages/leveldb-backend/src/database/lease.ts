import type { Level } from './level.ts'

export interface KeyRange {
  readonly gt?: Buffer
  readonly gte?: Buffer
  readonly lt?: Buffer
  readonly lte?: Buffer
  readonly reverse?: boolean
}

export interface LeaseOptions {
  readonly limit?: number
  readonly keys?: boolean
  readonly values?: boolean
  readonly fillCache?: boolean
  readonly snapshot?: Snapshot | undefined
}

export type Row = readonly [key: Buffer, value: Buffer]
export type Snapshot = ReturnType<Level['snapshot']>

/** An iterator that may be revoked while somebody reads from it. */
export interface Lease {
  readonly range: KeyRange
  readonly options: LeaseOptions
  iterator: ReturnType<Level['iterator']> | undefined
  /** The step that is under way. */
  reading: Promise<unknown> | undefined
}
