import type { Case } from '../context/case.ts'
import { aliasingCases } from './aliasing.ts'
import { appendCases } from './append.ts'
import { atomicityCases } from './atomicity.ts'
import { compareCases } from './compare.ts'
import { eraseCases } from './erase.ts'
import { headCases } from './head.ts'
import { importCases } from './import.ts'
import { keyCases } from './keys.ts'
import { lifecycleCases } from './lifecycle.ts'
import { callsInFlightCases } from './calls-in-flight.ts'
import { resourceCases } from './resources.ts'
import { listCases } from './list.ts'
import { projectionCases } from './projection.ts'
import { rangeCases } from './ranges.ts'
import { readCases } from './read.ts'
import { snapshotCases } from './snapshots.ts'
import { invalidReadCases } from './invalid-reads.ts'
import { capabilityCases } from './capabilities.ts'
import { refusalCases } from './refusals.ts'
import { persistenceCases } from './persistence.ts'
import { readOnlyCases } from './read-only.ts'
import { exclusiveCases } from './exclusive.ts'
import { readerCases } from './readers.ts'
import { outsideCases } from './outside.ts'
import { sharedCases } from './shared.ts'
import { manyWritersCases } from './many-writers.ts'
import { durabilityCases } from './durability.ts'
import { killedInLargeCases } from './killed-in-large.ts'
import { corruptionCases } from './corruption.ts'
import { eraseLargeCases } from './erase-large.ts'
import { eraseBytesCases } from './erase-bytes.ts'
import { maintenanceCases } from './maintenance.ts'
import { maintenanceDamageCases } from './maintenance-damage.ts'
import { wakeCases } from './wake.ts'
import { modelCases } from './model.ts'
import { trimCases } from './trim.ts'
import { valueCases } from './values.ts'

/** Every case, in the order in which they are best read and run: simple promises first. */
export const cases: readonly Case[] = [
  ...capabilityCases,
  ...appendCases,
  ...compareCases,
  ...refusalCases,
  ...headCases,
  ...projectionCases,
  ...readCases,
  ...snapshotCases,
  ...rangeCases,
  ...invalidReadCases,
  ...trimCases,
  ...importCases,
  ...eraseCases,
  ...eraseBytesCases,
  ...eraseLargeCases,
  ...listCases,
  ...keyCases,
  ...valueCases,
  ...aliasingCases,
  ...atomicityCases,
  ...lifecycleCases,
  ...callsInFlightCases,
  ...resourceCases,
  ...readOnlyCases,
  ...persistenceCases,
  ...exclusiveCases,
  ...readerCases,
  ...outsideCases,
  ...sharedCases,
  ...manyWritersCases,
  ...wakeCases,
  ...maintenanceCases,
  ...maintenanceDamageCases,
  ...durabilityCases,
  ...killedInLargeCases,
  ...corruptionCases,
  ...modelCases,
]
