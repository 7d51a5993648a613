import type { Target } from '@turnlog/conformance'

export declare const target: Target
