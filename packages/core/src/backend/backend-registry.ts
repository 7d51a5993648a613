/** For a backend without options of its own. */
export interface NoBackendOptions {
  readonly [option: string]: never
}

/**
 * The backends that can be chosen by name, each with the type of its options. A backend package adds itself:
 *
 * ```ts
 * declare module '@turnlog/core/backend' {
 *   interface BackendRegistry {
 *     leveldb: LevelDbOptions
 *   }
 * }
 * ```
 */
export interface BackendRegistry {
  memory: NoBackendOptions
}
