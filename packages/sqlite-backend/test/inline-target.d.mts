import type { Target } from '@turnlog/conformance'

export const target: Target
