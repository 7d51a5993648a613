import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Message } from 'turnlog'

import type { Contestant } from './contestant.ts'
import { readLineFile } from './line-file.ts'
import { replaceFile, writeAndClose } from './synced-file.ts'

interface Metadata {
  readonly count: number
  readonly skip: number
  readonly summary: string
}

/** A file of lines per session and a metadata file beside it, rewritten at each append: two files, three syncs. */
export const metadataRewrite: Contestant = {
  id: 'metadata-rewrite',
  label: 'append + fsync + metadata rewrite',
  durability: 'sync',
  note: 'blocks the event loop',
  open: async (directory) => {
    const known = new Map<string, Metadata>()
    const fileOf = (session: string, ending: string): string => join(directory, encodeURIComponent(session) + ending)
    const metadataOf = (session: string): Metadata => {
      const path = fileOf(session, '.meta.json')
      const metadata =
        known.get(session) ??
        (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Metadata) : { count: 0, skip: 0, summary: '' })
      known.set(session, metadata)
      return metadata
    }
    const setMetadata = (session: string, metadata: Metadata): void => {
      known.set(session, metadata)
      replaceFile(fileOf(session, '.meta.json'), JSON.stringify({ ...metadata, updatedAt: Date.now() }), true)
    }
    const appendAll = (session: string, messages: readonly Message[]): void => {
      const metadata = metadataOf(session)
      const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
      writeAndClose(fileOf(session, '.jsonl'), 'a', lines, true)
      setMetadata(session, { ...metadata, count: metadata.count + messages.length })
    }
    return {
      append: async (session, message) => appendAll(session, [message]),
      appendAll: async (session, messages) => appendAll(session, messages),
      read: async (session) => readLineFile<Message>(fileOf(session, '.jsonl')).slice(metadataOf(session).skip),
      summarise: async (session, summary, keepLast) => {
        const metadata = metadataOf(session)
        setMetadata(session, { ...metadata, summary, skip: Math.max(metadata.skip, metadata.count - keepLast) })
      },
      close: async () => undefined,
    }
  },
}
