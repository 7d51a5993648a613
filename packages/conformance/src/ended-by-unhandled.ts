/**
 * Runs `work`, and rejects if meanwhile a rejection that nobody handles or an exception that nobody catches comes to
 * light. So a fault in the background of a backend ends the case that met it, and not the whole run. `work` is given a
 * promise that rejects at that moment, so that it need not go on waiting, and can still tidy up.
 */
export async function endedByUnhandled(work: (unhandled: Promise<never>) => Promise<void>): Promise<void> {
  let report: (error: unknown) => void = () => undefined
  const unhandled = new Promise<never>((_resolve, reject) => {
    report = (error) => reject(new Error('a rejection or an exception that nobody handled', { cause: error }))
  })
  unhandled.catch(() => undefined) // it may come while nobody waits for it
  process.on('unhandledRejection', report).on('uncaughtException', report)
  try {
    await work(unhandled)
    // What the last step left behind comes to light after the promises that are due now.
    await Promise.race([unhandled, new Promise(setImmediate)])
  } finally {
    process.off('unhandledRejection', report).off('uncaughtException', report)
  }
}
