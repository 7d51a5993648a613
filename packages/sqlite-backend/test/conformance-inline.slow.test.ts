import { conformance } from '@turnlog/conformance/vitest'
import { describe } from 'vitest'

import { target as inline } from './inline-target.mjs'
import { target as instance } from './instance-target.mjs'
import { MISSING } from './target.mjs'

/** What a thread and a connection of somebody else can make different. */
const SOME = /^(append|read|head|list|erase|atomicity|trim|lifecycle|shared|wake)\./
/** An instance is made, and its file with it, before the backend is opened. */
const WITHOUT_FILES = /^(append|read|head|list|trim|values|ranges|projection|keys|compare|import)\./

describe.skipIf(MISSING !== undefined)(`conformance${MISSING === undefined ? '' : ` (${MISSING})`}`, () => {
  conformance(inline, process.env['TURNLOG_THOROUGH'] === '1' ? {} : { grep: SOME })
  conformance(instance, { grep: WITHOUT_FILES })
})
