import type { FileSystem } from '@turnlog/jsonl-backend/testing'

/** Passes everything on and counts what is opened and read. */
export interface Counts {
  opened: string[]
  bytesRead: number
}

export function countingFileSystem(inner: FileSystem): { readonly fileSystem: FileSystem; readonly counts: Counts } {
  const counts: Counts = { opened: [], bytesRead: 0 }
  const fileSystem: FileSystem = {
    open: async (path, options) => {
      const file = await inner.open(path, options)
      counts.opened.push(path.slice(path.lastIndexOf('/') + 1))
      return {
        read: async (buffer, position) => {
          const count = await file.read(buffer, position)
          counts.bytesRead += count
          return count
        },
        write: (buffer, position) => file.write(buffer, position),
        truncate: (size) => file.truncate(size),
        sync: () => file.sync(),
        stat: () => file.stat(),
        close: () => file.close(),
      }
    },
    list: (directory) => inner.list(directory),
    stat: (directory, names) => inner.stat(directory, names),
    statNow: (path) => inner.statNow(path),
    rename: (from, to) => inner.rename(from, to),
    link: (existing, path) => inner.link(existing, path),
    remove: (path) => inner.remove(path),
    syncDirectory: (directory) => inner.syncDirectory(directory),
    makeDirectory: (directory) => inner.makeDirectory(directory),
    realPath: (path) => inner.realPath(path),
    watch: (directory, onChange, onError) => inner.watch(directory, onChange, onError),
  }
  return { fileSystem, counts }
}
