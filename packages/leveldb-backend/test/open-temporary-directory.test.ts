import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { processIdentity } from '@turnlog/storage-kit'
import { expect, onTestFinished, test, vi } from 'vitest'

import { temporaryDirectory, writeSample } from './sample-store.ts'

function abandon(directory: string, owner: object): void {
  mkdirSync(directory)
  writeFileSync(join(directory, 'turnlog.owner'), JSON.stringify(owner))
  writeFileSync(join(directory, '000003.log'), 'what somebody said')
}

test.runIf(process.platform === 'linux')(
  'a reader leaves nothing behind, and removes what one that was killed has left',
  async () => {
    const path = temporaryDirectory()
    await writeSample(path)
    const temporary = temporaryDirectory()
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => void vi.unstubAllEnvs())
    const living = processIdentity()
    const dead = { ...living, boot: 'another start of the machine' }
    abandon(join(temporary, 'turnlog-shadow-dead'), dead)
    const { pidNamespace: namespace, start: started, ...rest } = dead
    abandon(join(temporary, 'turnlog-repair-dead'), { ...rest, namespace, started }) // as earlier versions wrote it
    abandon(join(temporary, 'turnlog-shadow-living'), living)
    abandon(join(temporary, 'turnlog-shadow-elsewhere'), { ...living, host: 'elsewhere' })
    mkdirSync(join(temporary, 'turnlog-shadow-new'))
    const others = ['turnlog-shadow-elsewhere', 'turnlog-shadow-living', 'turnlog-shadow-new']
    const backend = leveldbBackend({ path })
    await backend.open({ readOnly: true })
    const [own = '', ...none] = readdirSync(temporary).filter((name) => !others.includes(name))
    expect(none).toEqual([])
    expect(statSync(join(temporary, own)).mode & 0o777).toBe(0o700)
    await backend.close()
    expect(readdirSync(temporary).toSorted()).toEqual(others)
  },
)

test.runIf(process.platform === 'linux')(
  'a repair that only says what it would do leaves nothing behind, and removes what one that was killed has left',
  async () => {
    const path = temporaryDirectory()
    await writeSample(path)
    rmSync(join(path, 'turnlog.anchor'))
    const temporary = temporaryDirectory()
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => void vi.unstubAllEnvs())
    abandon(join(temporary, 'turnlog-repair-dead'), { ...processIdentity(), boot: 'another start of the machine' })
    const seen: (readonly string[])[] = []
    const onProgress = (): void => void seen.push(readdirSync(temporary))
    await leveldbBackend({ path }).maintenance?.repair({ onProgress })
    expect(seen.at(-1)).toEqual([expect.stringMatching(/^turnlog-repair-(?!dead)/)])
    expect(readdirSync(temporary)).toEqual([])
  },
)
