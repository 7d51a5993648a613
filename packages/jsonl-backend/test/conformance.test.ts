import { conformance } from '@turnlog/conformance/vitest'

import { target } from './target.mjs'

conformance(target)
