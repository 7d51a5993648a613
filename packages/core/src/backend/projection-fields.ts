/**
 * The fields of a projection of version 1 (`p: 1`), in the order in which core writes them; `runs`, `checkpoint` and
 * `deleted` may be absent. A backend may store this key list once instead of with every head. It never changes: stored
 * data relies on it. A projection with other fields is opaque JSON like any other.
 */
export const PROJECTION_FIELDS_V1 = [
  'p',
  'viewSeq',
  'runs',
  'summarySeq',
  'messages',
  'bytes',
  'runBytes',
  'cutSeq',
  'minVersion',
  'recordedBytes',
  'checkpoint',
  'metadata',
  'recentOps',
  'createdAt',
  'updatedAt',
  'deleted',
] as const
