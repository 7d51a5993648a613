import { conformance } from '@turnlog/conformance/vitest'

import { target } from './fixtures/folder-target.js'

// The example of docs/writing-a-backend.md, and proof that the suite accepts a backend that keeps files.
conformance(target)
