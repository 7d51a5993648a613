import type { AppendOptions, EventRecord, Expected, Head, Json } from '@turnlog/core/backend'

/** What commands run against: a backend in this process, or one in a process that gets killed. */
export interface StoreUnderTest {
  readonly persistent: boolean
  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void>
  head(session: string): Promise<Head | undefined>
  erase(session: string, expectedLast: number): Promise<void>
  readAll(session: string): Promise<readonly EventRecord[]>
  listKeys(): Promise<readonly string[]>
  /** In good order or by a crash. */
  reopen(): Promise<void>
  end(): Promise<void>
}
