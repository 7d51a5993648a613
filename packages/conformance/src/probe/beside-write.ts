/** Repeats `look` for as long as `write` runs, and once afterwards. Says how often it looked while it ran. */
export async function besideWrite(write: () => Promise<void>, look: () => Promise<void>): Promise<number> {
  const state = { isWriting: true, looks: 0 }
  const writer = write().finally(() => {
    state.isWriting = false
  })
  const reader = (async () => {
    while (state.isWriting) {
      await look()
      state.looks++
      await new Promise(setImmediate)
    }
  })()
  await Promise.all([writer, reader])
  await look()
  return state.looks
}
