import type * as transfer from '@turnlog/transfer'

/** Most programs never copy a store, so what does it is loaded with the first call. */
export const copyStore: typeof transfer.copyStore = async (...args) => {
  const loaded = await import('@turnlog/transfer')
  return loaded.copyStore(...args)
}

export const exportSessions: typeof transfer.exportSessions = async function* (...args) {
  const loaded = await import('@turnlog/transfer')
  yield* loaded.exportSessions(...args)
}

export const importSessions: typeof transfer.importSessions = async (...args) => {
  const loaded = await import('@turnlog/transfer')
  return loaded.importSessions(...args)
}
