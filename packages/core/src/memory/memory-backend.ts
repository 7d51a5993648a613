import type { Backend } from '../backend/backend.ts'
import type { BackendDefinition } from '../backend/backend-definition.ts'
import type { Capabilities } from '../backend/capabilities.ts'
import { guardBackend } from '../backend/guard-backend.ts'
import { MemoryDriver } from './memory-driver.ts'

const CAPABILITIES: Capabilities = {
  persistent: false,
  durability: 'none',
  access: 'exclusive',
  concurrentReaders: false,
  detectsDamage: false,
}

/** Keeps sessions in this process until it is closed: for tests, for browsers, and as the reference for all others. */
export function memoryBackend(): Backend {
  return guardBackend('memory', CAPABILITIES, { open: async () => new MemoryDriver() })
}

export const backend: BackendDefinition = { name: 'memory', contract: 1, create: memoryBackend }
