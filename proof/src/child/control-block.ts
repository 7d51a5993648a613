/** What the control writes and syncs at a time. */
export const CONTROL_BLOCK_BYTES = 512
