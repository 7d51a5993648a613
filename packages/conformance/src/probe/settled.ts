/** Keeps an outcome for later, without an unhandled rejection meanwhile. */
export async function settled<T>(promise: Promise<T>): Promise<() => T> {
  try {
    const value = await promise
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
