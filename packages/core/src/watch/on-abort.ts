const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when a signal aborts, at once if it has. However many wait, the signal has one listener: Node takes the
 * eleventh for a leak and warns of it.
 *
 * @returns a function that gives up waiting, after which the signal does not hold on to the callback
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback()
  const callbacks = callbacksOf.get(signal) ?? listenTo(signal)
  callbacks.add(callback)
  return () => void callbacks.delete(callback)
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>()
  const tell = (): void => {
    for (const callback of callbacks) callback()
  }
  signal.addEventListener('abort', tell, { once: true })
  callbacksOf.set(signal, callbacks)
  return callbacks
}
