import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { DRIVER, sqliteTarget } from './target.mjs'

/** On a connection that somebody else has opened. */
export const target = sqliteTarget('sqlite on a caller\u2019s database', import.meta.url, (file) => {
  mkdirSync(dirname(file), { recursive: true })
  const database = openDatabase(file)
  return { database, close: () => database.close() }
})

export function openDatabase(file) {
  if (DRIVER.driver === undefined) return new (process.getBuiltinModule('node:sqlite').DatabaseSync)(file)
  return new (createRequire(import.meta.url)(DRIVER.driver))(file)
}
