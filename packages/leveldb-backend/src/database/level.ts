import { rmSync } from 'node:fs'

import { StoreError } from '@turnlog/core/backend'
import type { ClassicLevel } from 'classic-level'

import { fromLevel, levelCode } from './to-store-error.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { loadLevel } from './load-level.ts'

export type Level = ClassicLevel<Buffer, Buffer>

/** @throws `LOCKED`, `CORRUPT`, `IO` */
export async function openLevel(directory: string, options: CheckedOptions, create: boolean): Promise<Level> {
  const { ClassicLevel } = loadLevel()
  const level: Level = new ClassicLevel<Buffer, Buffer>(directory, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    createIfMissing: create,
    errorIfExists: create,
    cacheSize: options.cacheBytes,
    writeBufferSize: options.writeBufferBytes,
    blockSize: options.blockBytes,
    maxFileSize: options.maxFileBytes,
    compression: options.compression,
  })
  try {
    await level.open()
    return level
  } catch (error) {
    if (levelCode(error) === 'LEVEL_LOCKED') {
      throw new StoreError('LOCKED', `The store in ${directory} is in use by another process. Close it there.`, {
        cause: error,
      })
    }
    throw fromLevel(error, 'open the store', directory)
  }
}

export async function closeShadow(level: Level): Promise<void> {
  try {
    await level.close()
  } finally {
    rmSync(level.location, { recursive: true, force: true })
  }
}
