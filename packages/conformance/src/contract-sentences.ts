import { maintenanceSentences } from './maintenance-sentences.ts'
import { core } from './proof.ts'
import type { Proof } from './proof.ts'

/**
 * Every sentence of the documentation of the contract, in its order, with the cases that test it.
 * A test holds this table against the sources of the contract, so that no promise can be added without a case, and
 * against the zoo, so that each promise has a backend that breaks it.
 */
export const contractSentences: Readonly<Record<string, Proof>> = {
  'The version of the contract on this page.': ['capabilities.contract'],
  'Core refuses a backend that implements another one.': core,
  'What an append expects to find.': core,
  'The last seq of the session, 0 if it must not exist.': [
    'append.conflict.stale',
    'append.conflict.exists',
    'append.creates',
  ],
  "The id of the session's life.": ['append.conflict.incarnation', 'append.conflict.incarnation.exact'],
  'When `last` is 0: the id of the life that this append begins.': ['erase.begins-anew', 'head.fields'],
  'The logical start of the session after this append: events before it are gone for every later read.': [
    'trim.moves-start',
    'persistent.trim',
  ],
  'A value at or below the present start changes nothing.': ['trim.monotone'],
  'At least 1, at most one more than the last new seq.': [
    'append.invalid.trim-below',
    'append.invalid.trim-beyond',
    'trim.everything',
  ],
  'The session must not exist (`expected.last` is 0) and begins at the seq of the first event, whatever that is.': [
    'import.begins-later',
    'import.exists',
  ],
  'Both ends belong to it.': ['read.range.ends'],
  '`to` may lie beyond the last event.': ['read.range.beyond'],
  'If it lies before `from` the range is empty.': ['read.range.empty'],
  'From the last event of the last range to the first of the first.': ['read.reverse', 'read.ranges.long'],
  'The most events over all ranges; 0 gives none.': ['read.limit', 'read.ranges.several'],
  "Ends the read; the iterator then rejects with the signal's reason.": ['read.abort.before', 'read.abort.between'],
  'The first seq that can be read; `last + 1` if everything is trimmed.': ['head.fields', 'trim.everything'],
  'What the readable events take in this storage, roughly; never 0 while there are any.': [
    'head.bytes',
    'head.bytes.grows',
    'head.bytes.falls',
  ],
  'As given with the last append.': [
    'projection.latest',
    'projection.every-value',
    'projection.falsy',
    'projection.large',
  ],
  'Only keys that begin with it.': ['list.prefix'],
  'Only keys after it, in byte order; it need not exist.': ['list.after'],
  'Refuse every write with `READ_ONLY` and change nothing on the storage.': [
    'read-only.refuses-writes',
    'read-only.changes-nothing',
    'read-only.leaves-damage',
    'read-only.empty-place',
    'read-only.maintenance',
  ],
  'Where there is no store that is `NOT_FOUND`, and none is made.': ['read-only.no-store'],
  'Something that opening found or did and that the owner of the store should know.': ['corruption.truncated'],
  '`torn-tail`: an append that was never acknowledged was cut off.': ['corruption.truncated'],
  '`lost-tail`: acknowledged appends are missing (possible only where `durability` is not `sync`).': [
    'corruption.truncated',
  ],
  '`set-aside`: files were moved out of the way.': ['erase.every-byte.set-aside'],
  '`stale-lock`: the lock of a dead owner was taken over.': ['exclusive.released-by-death'],
  'One sentence for a person.': core,
  'No message contents.': ['corruption.no-contents', 'append.refused.no-contents'],
  'There was no store here before.': [
    'persistent.created',
    'persistent.created.another-object',
    'lifecycle.open.report',
  ],
  'A place to keep the events of many sessions.': [
    'append.sessions-apart',
    'append.stores-apart',
    'atomicity.sessions-apart',
  ],
  'Core calls it with valid keys and normalised, deeply frozen JSON.': [
    'keys.pairs',
    'values.random',
    'aliasing.input-untouched',
  ],
  "Views, retention, retries, idempotence, pairing, caching and subscriptions are core's, so a backend has nothing to know about messages.":
    ['append.same-ids-again'],
  'Lifecycle: every method but `open` and `close` rejects with `CLOSED` unless the backend is open.': [
    'lifecycle.never-opened',
    'lifecycle.opening',
    'lifecycle.closing',
    'lifecycle.closed',
    'lifecycle.close.calls-in-flight',
  ],
  'Iterators reject on their next step.': [
    'lifecycle.read.closed-meanwhile',
    'lifecycle.list.closed-meanwhile',
    'lifecycle.read.belongs-to-its-life',
  ],
  '`maintenance.repair` is the exception: it wants a closed backend.': ['maintenance.repair.wants-closed'],
  'Makes the backend usable.': ['append.creates'],
  'A call while it is open or opening gives the same report.': ['lifecycle.open.same-report'],
  'A failed open leaves it closed, releases everything, and may be repeated.': ['exclusive.failed-open'],
  'A closed backend may be opened again.': ['lifecycle.reopened'],
  'Waits for appends in flight, then releases everything.': [
    'lifecycle.close.waits-for-appends',
    'persistent.in-flight',
    'exclusive.released-by-close',
  ],
  'Idempotent; a second caller waits for the first.': ['lifecycle.close.idempotent', 'lifecycle.close.second-waits'],
  'Running iterators do not hold it up: their next step rejects with `CLOSED`.': [
    'lifecycle.read.closed-meanwhile',
    'lifecycle.list.closed-meanwhile',
  ],
  'One atomic write: compare, append all events, store the projection, move the logical start.': [
    'atomicity.read-whole-batches',
    'atomicity.head-with-projection',
    'atomicity.trim-with-append',
  ],
  'All of it or nothing, durable as `capabilities.durability` says when it resolves, visible to every later call.': [
    'durability.killed',
    'durability.acknowledged-then-killed',
    'append.visible',
    'shared.other-process',
    'readers.sessions-come-and-go',
  ],
  '`CONFLICT`, with `expected` and the true `actual` last seq (0 if there is no such session), unless the session is at `expected.last` in the same incarnation.':
    ['append.conflict.stale', 'append.conflict.ahead', 'append.conflict.missing', 'append.conflict.incarnation'],
  'Nothing has changed then.': ['append.conflict.stale', 'trim.refused-append', 'projection.refused-append'],
  '`INVALID_ARGUMENT` if `events` is empty, does not continue at `expected.last + 1` (but see `import`), has a gap, or `trimBefore` is below 1 or lies beyond the new end.':
    ['append.invalid.empty', 'append.invalid.start-late', 'append.invalid.gap', 'append.invalid.trim-beyond'],
  '`IO`, with what the storage said as its `cause`, if the storage failed.': {
    because: 'No case can make an unknown storage fail. Each backend tests it with its own faults.',
  },
  'The outcome is then unknown until `head` has been asked.': {
    because: 'No case can make an unknown storage fail. Each backend tests it with its own faults.',
  },
  'Among concurrent appends with one expected version exactly one wins.': [
    'append.race.one-wins',
    'append.race.one-creates',
    'append.race.retry',
  ],
  'The events of the ranges that exist, in batches, all from one snapshot: what is appended or trimmed after the first batch was asked for is not seen, and an append is seen whole or not at all.':
    [
      'read.snapshot.append',
      'read.snapshot.trim',
      'read.snapshot.ranges',
      'shared.snapshot.append',
      'shared.snapshot.trim',
      'read.snapshot.new-life',
      'shared.snapshot.new-life',
      'readers.snapshot.append',
      'readers.snapshot.trim',
      'readers.snapshot.new-life',
      'atomicity.read-whole-batches',
    ],
  'Ranges are ascending and do not overlap (`INVALID_ARGUMENT` otherwise).': ['read.invalid.order'],
  'A seq below 1, a fraction and a negative limit are `INVALID_ARGUMENT`.': ['read.invalid.numbers'],
  'An unknown session has no events.': ['read.unknown'],
  'A batch is never empty.': ['read.batch.never-empty'],
  'Leaving the loop early releases everything.': ['read.break.releases', 'read.throw.releases', 'list.break.releases'],
  '`undefined` if there is no such session.': ['head.unknown'],
  'Every session once, in the byte order of the UTF-8 keys, in batches that are never empty.': [
    'list.every-session-once',
    'list.thousand',
    'list.byte-order',
    'list.batch.never-empty',
  ],
  'Sessions that come or go meanwhile may or may not be seen; all others are.': ['list.stable'],
  'Removes every byte of a session, also from logs, journals, free pages and files that were set aside.': [
    'erase.every-byte',
    'erase.every-byte.set-aside',
    'erase.every-byte.killed',
  ],
  'All of it or nothing, for whoever reads meanwhile and after a crash.': [
    'atomicity.erase',
    'durability.killed-in-erase',
    'readers.sessions-come-and-go',
  ],
  '`CONFLICT` unless its last seq is `expectedLast`; erasing what does not exist (`expectedLast` 0) does nothing.': [
    'erase.compares',
    'erase.missing',
    'erase.race',
    'shared.erase.race',
    'shared.erase.processes',
  ],
  'Used again, the session begins at 1 in a new incarnation.': ['erase.begins-anew', 'erase.stale-incarnation'],
  'Yields whenever another process may have written to the session.': ['wake.hints', 'wake.processes', 'wake.readers'],
  'A hint: it carries no data, may come without cause, and core polls as well.': core,
  'Ends when `signal` aborts or the backend is closed.': ['wake.ends', 'wake.closed'],
  'What survives what.': core,
  'A backend has one mode for all its writes, fixed when it is created.': ['capabilities.fixed'],
  'What a backend says of itself, known before it is opened and never changed afterwards.': [
    'capabilities.complete',
    'capabilities.fixed',
  ],
  'The conformance suite tests each one, and its opposite where it is false.': [
    'volatile.reopened-empty',
    'readers.refused',
    'capabilities.consistent',
  ],
  'Events are still there after `close` and `open`.': [
    'persistent.reopen',
    'persistent.same-object',
    'persistent.last-append',
  ],
  'If false, a reopened backend is empty.': ['volatile.reopened-empty'],
  'What a resolved `append` survives: `sync` a power failure, `os` the death of the process, `none` neither.': [
    'durability.killed',
    'capabilities.consistent',
  ],
  '`exclusive`: one open writer; a second `open` is refused with `LOCKED`, wherever it comes from, and the refusal leaves the owner protected.':
    [
      'exclusive.same-process',
      'exclusive.other-spelling',
      'exclusive.symlink',
      'exclusive.worker',
      'exclusive.process',
      'exclusive.stalled-owner',
    ],
  '`shared`: any number of writers, fenced by compare-and-append.': [
    'shared.both-open',
    'shared.first-opens',
    'shared.fenced',
    'shared.processes',
    'shared.erase.race',
    'shared.erase.processes',
  ],
  'A read-only `open` succeeds while a writer is open elsewhere.': ['readers.allowed', 'readers.sessions-come-and-go'],
  'If false it is `LOCKED`.': ['readers.refused'],
  'Damaged storage is reported as `CORRUPT`, never as fewer or different events or heads.': [
    'corruption.truncated',
    'corruption.flipped',
    'corruption.zeroed-tail',
  ],
  'If false, damage gives what is there or a `StoreError`, and no other error.': ['corruption.without-promise'],
  'One event as it is stored.': core,
  "The envelope is fixed; every other field belongs to the event's type and is opaque to a backend, which returns the record exactly as it was given: all fields, in their order, with their values.":
    ['append.exact', 'values.envelope', 'values.field-names', 'values.random'],
  'Place in the session: 1, 2, 3 and so on, without gaps.': ['append.continues', 'append.invalid.gap'],
  'Unique; made by core before the append, so that a repeated append can be recognised.': core,
  'Schema version of this type.': core,
  'Milliseconds since 1970.': core,
  'Information only: order is by `seq`.': ['append.time-is-information'],
  "The caller's operation id.": ['append.exact'],
  ...maintenanceSentences,
}
