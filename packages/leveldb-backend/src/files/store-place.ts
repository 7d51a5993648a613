import type { BackendOptions, StorePlace } from '@turnlog/core/backend'
import { findStore } from '@turnlog/storage-kit/find-store'

/** Says how far a store had come, see `Watermark`. */
export const WATERMARK_FILE = 'turnlog.anchor'
/** One of these is in every store, also in one that was copied only in part. */
const MARKER_FILES = ['CURRENT', WATERMARK_FILE]

export function storePlace({ path }: BackendOptions): StorePlace | undefined {
  return path === undefined ? undefined : findStore(path, (names) => MARKER_FILES.some((name) => names.includes(name)))
}
