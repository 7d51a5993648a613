/**
 * Something wrong in the storage, found by `verify` or reported by `repair`. No message contents.
 * @case maintenance.verify.damaged maintenance.repair.damaged; corruption.no-contents append.refused.no-contents
 */
export interface Problem {
  readonly message: string
  readonly session?: string
  readonly seq?: number
  readonly file?: string
  readonly line?: number
}

export interface MaintenanceOptions {
  /**
   * Only this session.
   * @default the whole store
   * @case maintenance.verify.one-session maintenance.repair.one-session
   */
  readonly session?: string
  /** Ends the work, which rejects with the signal's reason. @case maintenance.verify.aborted maintenance.repair.aborted */
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
  /**
   * False: only say what would be done.
   * @default false
   * @case maintenance.repair.planned maintenance.repair.healthy
   */
  readonly apply?: boolean
}

export interface RepairReport {
  readonly applied: boolean
  /** What was or would be done, one sentence each. @case maintenance.repair.damaged */
  readonly actions: readonly Problem[]
  /** Where the damaged original is kept. @case maintenance.repair.backup */
  readonly backup?: string
}

export interface Sizes {
  /** Bytes on disk, of everything that belongs to the store. @case maintenance.sizes */
  readonly bytes: number
  readonly files: number
}

/**
 * Optional work on the storage itself. `verify`, `reclaim` and `sizes` want an open backend, `repair` a closed one.
 * @case none (a name); lifecycle.closed maintenance.repair.wants-closed
 */
export interface Maintenance {
  /**
   * Reads everything, trusts nothing, changes nothing.
   * @case maintenance.verify.healthy maintenance.verify.damaged maintenance.verify.changes-nothing
   */
  verify(options?: MaintenanceOptions): Promise<BackendVerifyReport>
  /**
   * Makes a damaged store readable again and says what it had to drop; the damaged original is kept.
   * @case maintenance.repair.damaged maintenance.repair.backup maintenance.repair.others-whole
   */
  repair(options?: RepairOptions): Promise<RepairReport>
  /** Gives the space of trimmed events back to the file system now. @case maintenance.reclaim */
  reclaim(options?: MaintenanceOptions): Promise<{ readonly bytesFreed: number }>
  sizes(): Promise<Sizes>
}
