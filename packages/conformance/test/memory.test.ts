import { conformance } from '@turnlog/conformance/vitest'

import { target } from './fixtures/memory-target.js'

conformance(target)
