import { PROJECTION_FIELDS_V1 } from '@turnlog/core/backend'

/**
 * A dictionary of frequent key lists. It speeds things up and says nothing about what a value means: a list that is not
 * in it is stored with its keys.
 *
 * Objects with exactly these keys, in this order, are stored as records: the number of the entry instead of the keys.
 * That halves the time to decode a message and takes a hundred bytes off a head. Everything else is a plain map.
 *
 * Part of format 1 and stored with the identity of each store. Never change an entry: a new table is a new format.
 */
const TABLE: readonly string[] = [
  // Events
  'seq,id,type,v,at,message',
  'seq,id,type,v,at,op,opHash,message',
  'seq,id,type,v,at,view',
  'seq,id,type,v,at,view,asked',
  'seq,id,type,v,at,summary',
  'seq,id,type,v,at,metadata',
  // Projections: without and with runs, without and with a checkpoint
  projection('runs', 'checkpoint', 'deleted'),
  projection('checkpoint', 'deleted'),
  projection('deleted'),
  // Chat completions
  'role,content',
  'role,content,name',
  'role,content,tool_calls',
  'role,content,tool_call_id',
  'role,tool_call_id,content',
  'id,type,function',
  'name,arguments',
  // Content blocks
  'type,text',
  'type,text,annotations',
  'type,id,name,input',
  'type,tool_use_id,content',
  'type,tool_use_id,content,is_error',
  'type,thinking,signature',
  // Response items
  'type,call_id,name,arguments',
  'type,call_id,output',
  'id,type,role,content,status',
  'id,type,call_id,name,arguments,status',
  'id,type,summary',
  // Parts of UI messages
  'role,parts',
  'id,role,parts',
  'type,toolCallId,toolName,input',
  'type,toolCallId,toolName,output',
  'type,value',
]

/** The key list of a projection without some of its optional fields. */
function projection(...absent: readonly string[]): string {
  return PROJECTION_FIELDS_V1.filter((name) => !absent.includes(name)).join(',')
}

/** A copy each time: msgpackr keeps its own notes in it. */
export function structureTable(): string[][] {
  return TABLE.map((keys) => keys.split(','))
}

export const STRUCTURES_TEXT: string = JSON.stringify(structureTable())

/** What may follow after some keys. A list is searched faster than a map: few keys can follow, and strings are shared. */
interface Step {
  readonly keys: string[]
  readonly steps: Step[]
  /** If an object may end here. */
  record: number | undefined
}

/** The byte that stands for the first entry. The others follow; there is room for 32. */
const FIRST_RECORD = 0x40

const ROOT: Step = { keys: [], steps: [], record: undefined }
for (const [index, keys] of structureTable().entries()) {
  let step = ROOT
  for (const key of keys) {
    const next = step.steps[step.keys.indexOf(key)] ?? { keys: [], steps: [], record: undefined }
    if (!step.keys.includes(key)) {
      step.keys.push(key)
      step.steps.push(next)
    }
    step = next
  }
  step.record = FIRST_RECORD + index
}

/** The byte that stands for the keys of this object, if they are in the table. */
export function recordOf(object: object): number | undefined {
  let step = ROOT
  for (const key in object) {
    const next = step.steps[step.keys.indexOf(key)]
    if (next === undefined) return undefined
    step = next
  }
  return step.record
}
