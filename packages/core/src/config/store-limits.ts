/** What is refused on writing, so that nothing gets in that cannot be read again. */
export interface StoreLimits {
  /**
   * The most bytes of JSON that one message may have; a larger one is refused with `TOO_LARGE`. Measured while the
   * message is written anyway, so it costs nothing; a high value costs memory wherever such a message is in a view.
   * @default 16 MiB
   */
  readonly maxMessageBytes?: number
}
