import { conformance } from '@turnlog/conformance/vitest'
import { target as smallPool } from './small-pool-target.mjs'
import { target } from './target.mjs'

conformance(target)
conformance(smallPool, { grep: /^(append|read|list|erase|atomicity|persistent)\./ })
