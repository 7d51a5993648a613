import { StoreError } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { corrupt } from '../format/corrupt.ts'
import { readMeta, writeMeta } from '../format/meta-rows.ts'
import { FORMAT } from '../format/tables.ts'
import type { SchemaObject, Tables } from '../format/tables.ts'

/**
 * Whether the store is there, whole and of a format that is known. Inside a transaction.
 *
 * @throws `INVALID_CONFIG` if tables of somebody else have its names, `UNSUPPORTED`, `CORRUPT`
 */
export function findStore(database: Database, tables: Tables): boolean {
  const wanted = tables.schema
  const found = new Map(
    database
      .all<SchemaObject>(`SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL`)
      .map(({ name, sql }) => [name.toLowerCase(), sql]),
  )
  if (found.size === 0) checkEmpty(database)
  const there = wanted.filter(({ name }) => found.has(name.toLowerCase()))
  if (there.length === 0) return false
  const ours = wanted.filter(({ name, sql }) => found.get(name.toLowerCase()) === sql)
  if (ours.length === 0) {
    throw new StoreError(
      'INVALID_CONFIG',
      `The database has a ${there[0]?.name} that is not Turnlog's. Choose another tablePrefix, or another file.`,
    )
  }
  if (ours.some(({ name }) => name === tables.meta)) checkFormat(readMeta(database, tables, 'format'))
  if (ours.length === wanted.length) return true
  const missing = wanted.find((object) => !ours.includes(object))
  throw corrupt(`${missing?.name} is missing or was changed`)
}

/** Inside a transaction that writes. */
export function makeStore(database: Database, tables: Tables): void {
  for (const { sql } of tables.schema) database.exec(sql)
  writeMeta(database, tables, 'format', String(FORMAT))
}

function checkFormat(format: string | undefined): void {
  if (format === String(FORMAT)) return
  if (format === undefined) throw corrupt('the row with its format is missing')
  throw new StoreError(
    'UNSUPPORTED',
    `The store has format ${format}, and this version of @turnlog/sqlite-backend knows ${FORMAT}. Use a newer one.`,
  )
}

/** A schema that damage has emptied must not pass for a new database. */
function checkEmpty(database: Database): void {
  const { page_count: pages = 0 } = database.get<{ page_count: number }>('PRAGMA page_count') ?? {}
  const { freelist_count: free = 0 } = database.get<{ freelist_count: number }>('PRAGMA freelist_count') ?? {}
  if (pages - free > 1) throw corrupt('its schema is empty, and its pages are not')
}
