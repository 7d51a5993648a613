import type { Target } from '@turnlog/conformance'
import type { SqliteOptions } from '@turnlog/sqlite-backend'

export const DRIVER: { readonly driver?: string }
export const MISSING: string | undefined
export const target: Target

export function sqliteTarget(
  name: string,
  module: string,
  options?: (file: string) => SqliteOptions & { close?(): void },
): Target
