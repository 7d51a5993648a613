import { registerBackends } from '@turnlog/core'
import { defaultBackends } from './default-backends.ts'

/** In a strict layout core cannot see the backends; this package depends on them and can. */
export function registerDefaultBackends(): void {
  registerBackends(defaultBackends)
}
