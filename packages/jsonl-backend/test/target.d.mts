import type { Target } from '@turnlog/conformance'

export const target: Target

export function jsonlTarget(name: string, module: string, options?: { readonly maxOpenFiles?: number }): Target
