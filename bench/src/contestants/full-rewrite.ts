import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Message } from 'turnlog'

import type { Contestant, Durability } from './contestant.ts'
import { replaceFile } from './synced-file.ts'

/** The whole history as one JSON text, written anew for each message. */
export function fullRewrite(durability: Exclude<Durability, 'none'>): Contestant {
  return {
    id: `full-rewrite-${durability}`,
    label: 'full JSON rewrite',
    durability,
    note: 'cost grows with the history; blocks the event loop',
    open: async (directory) => {
      const histories = new Map<string, Message[]>()
      const fileOf = (session: string): string => join(directory, `${encodeURIComponent(session)}.json`)
      const fromFile = (session: string): Message[] =>
        existsSync(fileOf(session)) ? (JSON.parse(readFileSync(fileOf(session), 'utf8')) as Message[]) : []
      const replace = (session: string, messages: Message[]): void => {
        histories.set(session, messages)
        replaceFile(fileOf(session), JSON.stringify(messages), durability === 'sync')
      }
      const appendAll = (session: string, messages: readonly Message[]): void => {
        const history = histories.get(session) ?? fromFile(session)
        history.push(...messages)
        replace(session, history)
      }
      return {
        append: async (session, message) => appendAll(session, [message]),
        appendAll: async (session, messages) => appendAll(session, messages),
        read: async (session) => fromFile(session),
        replace: async (session, messages) => replace(session, [...messages]),
        close: async () => undefined,
      }
    },
  }
}

/** The file session of examples for the OpenAI Agents SDK: read the file, add the items, write the file. */
export const jsonFileSession: Contestant = {
  id: 'json-file-session',
  label: 'openai-agents style JSON file',
  durability: 'os',
  note: 'reads and writes the whole history; a crash in the middle loses all of it',
  open: async (directory) => {
    const fileOf = (session: string): string => join(directory, `${encodeURIComponent(session)}.json`)
    const read = async (session: string): Promise<Message[]> => {
      try {
        return JSON.parse(await readFile(fileOf(session), 'utf8')) as Message[]
      } catch {
        return [] // no such session
      }
    }
    const appendAll = async (session: string, messages: readonly Message[]): Promise<void> =>
      writeFile(fileOf(session), JSON.stringify([...(await read(session)), ...messages], undefined, 2))
    return {
      append: (session, message) => appendAll(session, [message]),
      appendAll,
      read,
      close: async () => undefined,
    }
  },
}
