import type { Target } from '@turnlog/conformance'
import type { SqliteOptions } from '@turnlog/sqlite-backend'

export const target: Target

export function openDatabase(file: string): NonNullable<SqliteOptions['database']>
