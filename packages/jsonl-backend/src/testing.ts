/** For tests of the backend itself. Not covered by the version of the package. */
export { jsonlBackendWith } from './jsonl-backend.ts'
export type { FileStat, FileSystem, OpenFile, OpenFileOptions } from './file-system/file-system.ts'
export type { Host } from './lock/host.ts'
export type { Environment } from './open/open-directory.ts'
