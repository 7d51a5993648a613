import { accessSync, chmodSync, constants } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkPermissions } from '../src/doctor/check-permissions.ts'
import { sampleStore } from './sample-store.ts'

/** Whoever runs the tests may be allowed to write everywhere. */
const withoutWriting: typeof accessSync = (path, mode) => {
  if (mode === constants.W_OK) throw new Error('EACCES: permission denied')
  accessSync(path, mode)
}

test.skipIf(process.platform === 'win32')(
  'doctor says of a store both that others can read it and that it cannot be written',
  async () => {
    const { directory } = await sampleStore('jsonl')
    const path = join(directory, 'store')
    const permissions = (access?: typeof accessSync): string[] =>
      checkPermissions(path, access).map(({ status, message }) => `${status}: ${message}`)
    expect(permissions()).toEqual(['ok: only for its owner'])
    chmodSync(path, 0o755)
    const open = expect.stringMatching(/^notice: .* accessible to other users/) as string
    expect(permissions()).toEqual([open])
    expect(permissions(withoutWriting)).toEqual(['problem: This user can read the store, but not write to it.', open])
  },
)
