/** Any value that JSON can express. What every backend stores and returns exactly. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}
