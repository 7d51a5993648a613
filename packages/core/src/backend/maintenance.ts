/** Something wrong in the storage, found by `verify` or reported by `repair`. No message contents. */
export interface Problem {
  readonly message: string
  readonly session?: string
  readonly seq?: number
  readonly file?: string
  readonly line?: number
}

export interface MaintenanceOptions {
  /** Only this session. @default the whole store */
  readonly session?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

export interface BackendVerifyReport {
  readonly sessions: number
  readonly events: number
  readonly bytes: number
  readonly problems: readonly Problem[]
}

export interface RepairOptions extends MaintenanceOptions {
  /** False: only say what would be done. @default false */
  readonly apply?: boolean
}

export interface RepairReport {
  readonly applied: boolean
  /** What was or would be done, one sentence each. */
  readonly actions: readonly Problem[]
  /** Where the damaged original is kept. */
  readonly backup?: string
}

export interface Sizes {
  /** Bytes on disk, of everything that belongs to the store. */
  readonly bytes: number
  readonly files: number
}

/** Optional work on the storage itself. `verify`, `reclaim` and `sizes` want an open backend, `repair` a closed one. */
export interface Maintenance {
  /** Reads everything, trusts nothing, changes nothing. */
  verify(options?: MaintenanceOptions): Promise<BackendVerifyReport>
  /** Makes a damaged store readable again and says what it had to drop; the damaged original is kept. */
  repair(options?: RepairOptions): Promise<RepairReport>
  /** Gives the space of trimmed events back to the file system now. */
  reclaim(options?: MaintenanceOptions): Promise<{ readonly bytesFreed: number }>
  sizes(): Promise<Sizes>
}
