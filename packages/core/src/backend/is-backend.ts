import type { Backend } from './backend.ts'

const METHODS = ['open', 'close', 'append', 'read', 'head', 'list', 'erase'] as const

/** Whether it has the shape of a backend, of whatever contract version. By shape, since any class may be one. */
export function isBackend(value: unknown): value is Backend {
  if (typeof value !== 'object' || value === null || !('contract' in value)) return false
  const methods = value as Partial<Record<string, unknown>>
  return METHODS.every((name) => typeof methods[name] === 'function')
}
