import type { Database } from '../database/database.ts'

/** So long a read may keep the state of the database that it sees: the log cannot begin anew meanwhile, nor can an erasure end. */
const MAX_LEASE_MS = 2000
const MAX_LEASES = 8

/** A connection inside a reading transaction, as long as nobody takes it back. */
export interface Lease {
  /** `undefined` when it was taken back. */
  database: Database | undefined
  /** Called with the database before it is taken back. */
  beforeTakeBack?: (database: Database) => void
}

interface HeldLease extends Lease {
  timer: NodeJS.Timeout
}

/** Connections for reads that take more than one step. */
export class Snapshots {
  readonly #connect: (() => Database) | undefined
  readonly #idle: Database[] = []
  readonly #leases = new Set<HeldLease>()

  /** @param connect is missing where the only connection is the caller's: nothing is ever held then */
  constructor(connect: (() => Database) | undefined) {
    this.#connect = connect
  }

  /** The state of the database as it is at the next statement. */
  lease(): Lease {
    if (this.#connect === undefined) return { database: undefined }
    if (this.#leases.size >= MAX_LEASES) this.#takeBackOldest()
    const database = this.#idle.pop() ?? this.#connect()
    database.begin()
    const lease: HeldLease = {
      database,
      timer: setTimeout(() => this.#takeBack(lease), MAX_LEASE_MS),
    }
    lease.timer.unref()
    this.#leases.add(lease)
    return lease
  }

  return(lease: Lease): void {
    const { database } = lease
    if (database === undefined) return
    lease.database = undefined
    clearTimeout((lease as HeldLease).timer)
    this.#leases.delete(lease as HeldLease)
    database.rollback()
    this.#idle.push(database)
  }

  /** For who needs the log of the database to be empty. */
  takeBackAll(): void {
    for (const lease of this.#leases) this.#takeBack(lease)
  }

  close(): void {
    this.takeBackAll()
    for (const database of this.#idle.splice(0)) database.close()
  }

  #takeBackOldest(): void {
    const [oldest] = this.#leases
    if (oldest !== undefined) this.#takeBack(oldest)
  }

  #takeBack(lease: Lease): void {
    try {
      if (lease.database !== undefined) lease.beforeTakeBack?.(lease.database)
    } catch {
      // The next step of the read comes to the same place and says so.
    }
    this.return(lease)
  }
}
