import { conformance } from '@turnlog/conformance/vitest'

import { target } from './small-pool-target.mjs'

// With more sessions in use than files may be open.
conformance(target, { grep: /^(append|read|list|erase|atomicity|persistent)\./ })
