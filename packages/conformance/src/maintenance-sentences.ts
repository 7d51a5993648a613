import { core } from './proof.ts'
import type { Proof } from './proof.ts'

/** Every sentence of the documentation of maintenance, in its order, with the cases that test it. */
export const maintenanceSentences: Readonly<Record<string, Proof>> = {
  'Something wrong in the storage, found by `verify` or reported by `repair`.': [
    'maintenance.verify.damaged',
    'maintenance.repair.damaged',
  ],
  'Only this session.': ['maintenance.verify.one-session', 'maintenance.repair.one-session'],
  'False: only say what would be done.': ['maintenance.repair.planned', 'maintenance.repair.healthy'],
  'What was or would be done, one sentence each.': ['maintenance.repair.damaged'],
  'Where the damaged original is kept.': ['maintenance.repair.backup'],
  'Bytes on disk, of everything that belongs to the store.': ['maintenance.sizes'],
  'Optional work on the storage itself.': core,
  '`verify`, `reclaim` and `sizes` want an open backend, `repair` a closed one.': [
    'lifecycle.closed',
    'maintenance.repair.wants-closed',
  ],
  'Reads everything, trusts nothing, changes nothing.': [
    'maintenance.verify.healthy',
    'maintenance.verify.damaged',
    'maintenance.verify.changes-nothing',
  ],
  'Makes a damaged store readable again and says what it had to drop; the damaged original is kept.': [
    'maintenance.repair.damaged',
    'maintenance.repair.backup',
    'maintenance.repair.others-whole',
  ],
  'Gives the space of trimmed events back to the file system now.': ['maintenance.reclaim'],
}
