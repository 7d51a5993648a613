import type * as importers from '@turnlog/importers'

/** Loaded with the first call, because most programs have nothing to migrate. */
export const migrateDirectory: typeof importers.migrateDirectory = async (...args) => {
  const loaded = await import('@turnlog/importers')
  return loaded.migrateDirectory(...args)
}
