import { conformance } from '@turnlog/conformance/vitest'
import { describe } from 'vitest'

import { MISSING, target } from './target.mjs'

describe.skipIf(MISSING !== undefined)(`conformance${MISSING === undefined ? '' : ` (${MISSING})`}`, () => {
  conformance(target)
})
