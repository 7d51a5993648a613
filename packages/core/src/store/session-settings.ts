import type { HistoryApi, ToolLinks } from '@turnlog/messages'
import type { JsonObject } from '../json/json.ts'
import type { StoreLimits } from '../limits/store-limits.ts'
import type { Clock } from '../runtime/clock.ts'
import type { StoreWarning } from '../runtime/store-warning.ts'
import type { SessionView } from './session-store.ts'

/** How a store treats its sessions, whatever it keeps them in. */
export interface SessionSettings<M extends object = JsonObject> {
  /**
   * How many bytes of views to keep in memory. A session is kept from its second use on, so that reading many sessions
   * once pushes out none that is in use. One that has dropped out, or was only written to, costs a cold load when it is
   * read; 0 keeps none.
   * @default 32 MiB
   */
  readonly viewCacheBytes?: number
  /**
   * Open for looking only: every write is refused with `READ_ONLY`, and nothing on the storage changes. A JSONL store
   * can be read so while another process writes to it.
   * @default false
   */
  readonly readOnly?: boolean
  /** @default see each limit */
  readonly limits?: StoreLimits
  /**
   * Summarises what a view must lose when it exceeds `limits.maxMessages` or `limits.maxSessionBytes`. Gets the oldest
   * messages of the view, down to 80 % of the limit, with the summary so far; what it gives becomes the summary, and
   * those messages leave the view, in one append. Runs outside the way of writes, four sessions at a time; a failure is
   * a warning, and it is tried again with longer and longer pauses.
   * @default none: the limits cut
   */
  onOverflow?(view: SessionView<M>, options: { readonly signal: AbortSignal }): Promise<string>
  /**
   * Says which tool calls a message makes and answers, for message shapes that Turnlog does not know. Asked first;
   * `undefined` leaves it to the shapes that are known. Costs one call for each message that a cut looks at.
   * @default only the known shapes
   */
  toolLinks?(message: M): ToolLinks | undefined
  /**
   * The API that histories are made for, wherever a call does not name one. See `HistoryOptions.for`.
   * @default none: `getHistory` and `load` give the messages as they are
   */
  readonly for?: HistoryApi
  /** @default the system's clock */
  readonly clock?: Clock
  /**
   * Told about everything that went on working but should be known: a fallback in use, a torn tail cut off.
   * @default `process.emitWarning`, or `console.warn` where there is no process
   */
  readonly onWarning?: (warning: StoreWarning) => void
}
