import type { FileStat, FileSystem, OpenFile, OpenFileOptions } from '@turnlog/jsonl-backend/testing'

const SECTOR_BYTES = 512

interface PendingWrite {
  readonly kind: 'write'
  readonly position: number
  readonly bytes: Buffer
}

interface PendingTruncate {
  readonly kind: 'truncate'
  readonly size: number
}

interface Inode {
  readonly number: number
  mtimeMs: number
  /** What a process sees. */
  current: Buffer
  /** What the disk is sure to hold. */
  durable: Buffer
  /** What may or may not reach the disk, each part for itself. */
  pending: (PendingWrite | PendingTruncate)[]
}

/** A change of names that may or may not reach the disk. */
interface PendingName {
  readonly set: ReadonlyMap<string, number | undefined>
}

/** Everything that a crash could leave, frozen at one moment. */
export interface CrashPoint {
  readonly operation: string
  readonly names: ReadonlyMap<string, number>
  readonly pendingNames: readonly PendingName[]
  readonly inodes: ReadonlyMap<number, Pick<Inode, 'durable' | 'pending'>>
}

/** What to do with an operation instead of the right thing. */
export type Fault = 'EIO' | 'late EIO' | 'ENOSPC' | 'EMFILE' | 'short' | 'full'

/** Which operations can fail in which way. */
const POSSIBLE: Readonly<Record<Fault, ReadonlySet<string>>> = {
  EIO: new Set([
    'open',
    'list',
    'stat',
    'rename',
    'link',
    'remove',
    'syncDirectory',
    'read',
    'write',
    'truncate',
    'sync',
    'close',
  ]),
  'late EIO': new Set(['write', 'sync', 'syncDirectory']),
  ENOSPC: new Set(['write', 'sync', 'rename', 'link']),
  EMFILE: new Set(['open', 'list', 'syncDirectory']),
  short: new Set(['read', 'write']),
  full: new Set(['write']),
}

/**
 * A file system in memory that knows what is durable and what is not. Data, sizes and names that were not synced are
 * kept apart, so that every state in which a power failure can leave the disk can be produced.
 */
export class SimulatedFileSystem implements FileSystem {
  readonly #inodes = new Map<number, Inode>()
  readonly #names = new Map<string, number>()
  readonly #durableNames = new Map<string, number>()
  #pendingNames: PendingName[] = []
  #nextInode = 1
  #time = 1_000_000
  operations = 0
  openFiles = 0
  /** Asked before each operation that may fail. */
  fault: (operation: number, kind: string) => Fault | undefined = () => undefined
  /** Told at every moment in which a crash would leave something new. */
  onCrashPoint: ((take: () => CrashPoint) => void) | undefined

  /** The disk after a crash: `choose` decides for each unsynced part whether it had reached the disk. */
  static afterCrash(point: CrashPoint, choose: () => boolean): SimulatedFileSystem {
    const files = new SimulatedFileSystem()
    const names = new Map(point.names)
    for (const { set } of point.pendingNames) {
      if (!choose()) continue
      for (const [path, inode] of set) {
        if (inode === undefined) names.delete(path)
        else names.set(path, inode)
      }
    }
    for (const [path, number] of names) {
      const saved = point.inodes.get(number)
      if (saved === undefined) continue
      const known = files.#inodes.get(number)
      const content = known?.durable ?? survive(saved, choose)
      if (known === undefined) {
        const inode: Inode = {
          number,
          mtimeMs: files.#tick(),
          current: content,
          durable: content,
          pending: [],
        }
        files.#inodes.set(number, inode)
      }
      files.#names.set(path, number)
      files.#durableNames.set(path, number)
      files.#nextInode = Math.max(files.#nextInode, number + 1)
    }
    return files
  }

  /** Parts about which a crash could decide either way. */
  static undecided(point: CrashPoint): number {
    let parts = point.pendingNames.length
    for (const { pending } of point.inodes.values()) {
      for (const change of pending) parts += change.kind === 'truncate' ? 1 : sectorsOf(change)
    }
    return parts
  }

  paths(): string[] {
    return [...this.#names.keys()]
  }

  content(path: string): Buffer {
    return this.#inode(this.#names.get(path) ?? -1).current
  }

  /** Changes a file behind the back of whoever uses it. */
  replaceContent(path: string, content: Buffer): void {
    const inode = this.#inode(this.#names.get(path) ?? -1)
    inode.current = content
    inode.durable = content
    inode.pending = []
    inode.mtimeMs = this.#tick()
  }

  async open(path: string, { access, durable = false }: OpenFileOptions): Promise<OpenFile> {
    await this.#begin('open')
    let number = this.#names.get(path)
    if (access === 'create') {
      if (number !== undefined) throw failure('EEXIST', path)
      number = this.#nextInode++
      const empty = Buffer.alloc(0)
      this.#inodes.set(number, { number, mtimeMs: this.#tick(), current: empty, durable: empty, pending: [] })
      this.#setNames([[path, number]])
    }
    if (number === undefined) throw failure('ENOENT', path)
    return this.#file(this.#inode(number), durable)
  }

  async list(directory: string): Promise<readonly string[]> {
    await this.#begin('list')
    const prefix = `${directory}/`
    return [...this.#names.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length))
  }

  async stat(directory: string, names: readonly string[]): Promise<readonly (FileStat | undefined)[]> {
    await this.#begin('stat')
    return names.map((name) => this.statNow(`${directory}/${name}`))
  }

  statNow(path: string): FileStat | undefined {
    const number = this.#names.get(path)
    return number === undefined ? undefined : toStat(this.#inode(number))
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#begin('rename')
    const number = this.#names.get(from)
    if (number === undefined) throw failure('ENOENT', from)
    this.#setNames([
      [from, undefined],
      [to, number],
    ])
  }

  async link(existing: string, path: string): Promise<void> {
    await this.#begin('link')
    const number = this.#names.get(existing)
    if (number === undefined) throw failure('ENOENT', existing)
    if (this.#names.has(path)) throw failure('EEXIST', path)
    this.#setNames([[path, number]])
  }

  async remove(path: string): Promise<void> {
    if (!this.#names.has(path)) throw failure('ENOENT', path)
    await this.#begin('remove')
    this.#setNames([[path, undefined]])
  }

  async syncDirectory(): Promise<void> {
    await this.#begin('syncDirectory')
    this.#pendingNames = []
    this.#durableNames.clear()
    for (const [path, number] of this.#names) this.#durableNames.set(path, number)
    this.#tellCrashPoint('after syncDirectory')
  }

  async makeDirectory(): Promise<readonly string[]> {
    await this.#begin('makeDirectory')
    return []
  }

  async realPath(path: string): Promise<string> {
    await this.#begin('realPath')
    return path
  }

  watch(): () => void {
    return () => undefined
  }

  #file(inode: Inode, durable: boolean): OpenFile {
    this.openFiles++
    let isOpen = true
    const checkOpen = (): void => {
      if (!isOpen) throw failure('EBADF', 'closed file')
    }
    return {
      read: async (buffer, position) => {
        checkOpen()
        const fault = await this.#begin('read')
        checkOpen()
        const wanted = fault === 'short' ? Math.ceil(buffer.length / 2) : buffer.length
        return inode.current.copy(buffer, 0, position, Math.min(inode.current.length, position + wanted))
      },
      write: async (buffer, position) => {
        checkOpen()
        const fault = this.#nextFault('write')
        if (fault === 'full') throw failure('ENOSPC', 'write')
        const isWhole = fault === undefined || fault === 'late EIO'
        const taken = isWhole ? buffer.length : Math.ceil(buffer.length / 2)
        // A copy: the caller's buffer is only ours until the write is done.
        const change: PendingWrite = { kind: 'write', position, bytes: Buffer.from(buffer.subarray(0, taken)) }
        inode.current = apply(inode.current, change)
        inode.pending.push(change)
        inode.mtimeMs = this.#tick()
        this.#tellCrashPoint('write')
        await Promise.resolve()
        if (fault === 'EIO' || fault === 'late EIO') throw failure('EIO', 'write')
        if (fault === 'ENOSPC') this.#failNextWrite()
        if (durable) {
          inode.durable = apply(inode.durable, change)
          inode.pending = inode.pending.filter((other) => other !== change)
          this.#tellCrashPoint('after write')
        }
        return taken
      },
      truncate: async (size) => {
        checkOpen()
        await this.#begin('truncate')
        const change: PendingTruncate = { kind: 'truncate', size }
        inode.current = apply(inode.current, change)
        inode.pending.push(change)
        inode.mtimeMs = this.#tick()
        this.#tellCrashPoint('truncate')
      },
      sync: async () => {
        checkOpen()
        await this.#begin('sync')
        inode.durable = inode.current
        inode.pending = []
        this.#tellCrashPoint('after sync')
      },
      stat: () => {
        checkOpen()
        return toStat(inode)
      },
      close: async () => {
        checkOpen()
        isOpen = false
        this.openFiles--
        await this.#begin('close')
      },
    }
  }

  /** A full disk takes a part first and complains at the next call. */
  #failNextWrite(): void {
    const before = this.fault
    let isDue = true
    this.fault = (operation, kind) => {
      if (isDue && kind === 'write') {
        isDue = false
        this.fault = before
        return 'full'
      }
      return before(operation, kind)
    }
  }

  async #begin(kind: string): Promise<Fault | undefined> {
    const fault = this.#nextFault(kind)
    await Promise.resolve()
    if (fault !== undefined && fault !== 'short') throw failure(fault === 'late EIO' ? 'EIO' : fault, kind)
    return fault
  }

  #nextFault(kind: string): Fault | undefined {
    this.operations++
    const fault = this.fault(this.operations, kind)
    return fault === undefined || POSSIBLE[fault].has(kind) ? fault : undefined
  }

  #setNames(changes: readonly (readonly [string, number | undefined])[]): void {
    for (const [path, number] of changes) {
      if (number === undefined) this.#names.delete(path)
      else this.#names.set(path, number)
    }
    this.#pendingNames.push({ set: new Map(changes) })
    this.#tellCrashPoint('name')
  }

  #tellCrashPoint(operation: string): void {
    this.onCrashPoint?.(() => this.crashPoint(operation))
  }

  /** What a crash at this moment could leave. */
  crashPoint(operation: string): CrashPoint {
    return {
      operation: `${operation} (${this.operations})`,
      names: new Map(this.#durableNames),
      pendingNames: [...this.#pendingNames],
      inodes: new Map(
        [...this.#inodes].map(([number, { durable, pending }]) => [number, { durable, pending: [...pending] }]),
      ),
    }
  }

  #inode(number: number): Inode {
    const inode = this.#inodes.get(number)
    if (inode === undefined) throw new Error(`There is no inode ${number}.`)
    return inode
  }

  #tick(): number {
    this.#time++
    return this.#time
  }
}

function sectorsOf({ position, bytes }: PendingWrite): number {
  if (bytes.length === 0) return 0
  return Math.floor((position + bytes.length - 1) / SECTOR_BYTES) - Math.floor(position / SECTOR_BYTES) + 1
}

/** Each sector of each write for itself, in any combination: that is what an unsynced write may leave. */
function survive({ durable, pending }: Pick<Inode, 'durable' | 'pending'>, choose: () => boolean): Buffer {
  let content = durable
  for (const change of pending) {
    if (change.kind === 'truncate') {
      if (choose()) content = apply(content, change)
      continue
    }
    const end = change.position + change.bytes.length
    for (let start = change.position; start < end;) {
      const next = Math.min(end, (Math.floor(start / SECTOR_BYTES) + 1) * SECTOR_BYTES)
      const bytes = change.bytes.subarray(start - change.position, next - change.position)
      if (choose()) content = apply(content, { kind: 'write', position: start, bytes })
      start = next
    }
  }
  return content
}

function apply(content: Buffer, change: PendingWrite | PendingTruncate): Buffer {
  const size =
    change.kind === 'truncate' ? change.size : Math.max(content.length, change.position + change.bytes.length)
  const next = Buffer.alloc(size)
  content.copy(next, 0, 0, Math.min(size, content.length))
  if (change.kind === 'write') change.bytes.copy(next, change.position)
  return next
}

function toStat(inode: Inode): FileStat {
  return { size: inode.current.length, mtimeMs: inode.mtimeMs, inode: inode.number, isFile: true }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}
