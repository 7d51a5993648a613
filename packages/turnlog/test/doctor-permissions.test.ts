import { accessSync, chmodSync, constants } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checkStore } from '../src/doctor/check-store.ts'
import { registerDefaultBackends } from '../src/register-default-backends.ts'
import { sampleStore } from './sample-store.ts'

// Whoever runs the tests may be allowed to write everywhere.
vi.mock('node:fs', { spy: true })

test.skipIf(process.platform === 'win32')(
  'doctor says of a store both that others can read it and that it cannot be written',
  async () => {
    registerDefaultBackends()
    const { directory } = await sampleStore('jsonl')
    const path = join(directory, 'store')
    const permissions = async (): Promise<unknown> => {
      const chosen = { config: { backend: 'jsonl', path }, source: 'a test' } as const
      const checks = await checkStore(chosen, () => undefined)
      return checks.filter(({ name }) => name === 'permissions').map(({ status, message }) => `${status}: ${message}`)
    }
    expect(await permissions()).toEqual(['ok: only for its owner'])
    chmodSync(path, 0o755)
    const open = expect.stringMatching(/^notice: .* open to others/)
    expect(await permissions()).toEqual([open])
    vi.mocked(accessSync).mockImplementation((_path, mode) => {
      if (mode === constants.W_OK) throw new Error('EACCES: permission denied')
    })
    expect(await permissions()).toEqual(['problem: This user can read the store, but not write to it.', open])
  },
)
