/** What the backend wants to know of a file. */
export interface FileStat {
  readonly size: number
  readonly mtimeMs: number
  readonly inode: number
  readonly isFile: boolean
}

/** An open file. Every position is explicit, so that several reads may share it. */
export interface OpenFile {
  /** Fills `buffer` as far as one call does; 0 at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>
  /** Gives the bytes that were taken, perhaps fewer than offered. Durable when it resolves, if opened so. */
  write(buffer: Uint8Array, position: number): Promise<number>
  truncate(size: number): Promise<void>
  sync(): Promise<void>
  /** At once, because an `fstat` takes a microsecond and a hop through the thread pool a hundred. */
  stat(): FileStat
  close(): Promise<void>
}

export interface OpenFileOptions {
  /** `create` fails with EEXIST if the name is taken. Links are never followed. */
  readonly access: 'read' | 'write' | 'create'
  /** Every write is on stable storage when it resolves. @default false */
  readonly durable?: boolean
}

/**
 * All that the backend asks of a file system, so that a simulated one can crash and fail in every way.
 * Errors are those of `node:fs`: objects with a `code` such as `ENOENT`.
 */
export interface FileSystem {
  open(path: string, options: OpenFileOptions): Promise<OpenFile>
  /** The names in a directory. */
  list(directory: string): Promise<readonly string[]>
  /** One answer for each name, `undefined` where there is no such file. Links are not followed. */
  stat(directory: string, names: readonly string[]): Promise<readonly (FileStat | undefined)[]>
  /** The same of one path, at once, because it is asked before every append. */
  statNow(path: string): FileStat | undefined
  rename(from: string, to: string): Promise<void>
  /** A second name for a file; EEXIST if it is taken. */
  link(existing: string, path: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes names that were added, changed or removed in a directory durable. */
  syncDirectory(directory: string): Promise<void>
  /** Makes a directory and those above it, and says which ones were missing, outermost first. */
  makeDirectory(directory: string): Promise<readonly string[]>
  /** The one spelling of a path. */
  realPath(path: string): Promise<string>
  /** Calls back with the name of a file that changed, or without one if that is not known. Returns how to stop. */
  watch(directory: string, onChange: (name: string | undefined) => void, onError: (error: unknown) => void): () => void
}

/** The `code` of a system error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined
}
