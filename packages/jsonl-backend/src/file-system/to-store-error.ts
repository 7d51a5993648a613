import { isStoreError, StoreError } from '@turnlog/core/backend'
import { systemCode } from './file-system.ts'

/** What a person can do about a system error. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space and try again.',
  EDQUOT: 'The disk quota is used up: free some space and try again.',
  EMFILE: 'Too many files are open in this process: raise the limit (ulimit -n) or lower maxOpenFiles.',
  ENFILE: 'Too many files are open on this machine.',
  EACCES: 'This user has no permission.',
  EPERM: 'This user has no permission.',
  EROFS: 'The file system is mounted read-only: open the store read-only.',
  ELOOP: 'It is a symbolic link, and links are not followed.',
  ENOTDIR: 'A part of the path is not a directory.',
  EIO: 'The disk reports an error: look at the system log.',
}

/** A failure of the file system as an error of ours: `IO`, unless it is one of ours already. */
export function toStoreError(error: unknown, verb: string, file: string, session?: string): StoreError {
  if (isStoreError(error)) return error
  const code = systemCode(error)
  const advice = (code === undefined ? undefined : ADVICE[code]) ?? 'See the cause.'
  return new StoreError('IO', `Cannot ${verb} ${file}: ${code ?? 'unexpected error'}. ${advice}`, {
    file,
    cause: error,
    ...(session === undefined ? {} : { session }),
  })
}
