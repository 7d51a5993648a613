import type { Host } from '@turnlog/jsonl-backend/testing'

/** A process of its own: every other one is dead, as after a crash. */
export function simulatedHost(pid: number): Host {
  return {
    self: { host: 'simulated', boot: 'boot', pidNamespace: 'namespace', pid, start: '1' },
    checkOwner: (owner) => (owner.pid === pid ? 'alive' : 'dead'),
    claimed: new Map(),
    abandoned: new Set(),
  }
}
