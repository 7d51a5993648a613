interface Waiting {
  readonly callbacks: Set<() => void>
  stop(): void
}

const waitingFor = new WeakMap<AbortSignal, Waiting>()

/**
 * Calls back when a signal aborts, at once if it has. However many wait, the signal has one listener: Node takes the
 * eleventh for a leak and warns of it.
 *
 * @returns a function that gives up waiting, after which the signal holds on to nothing
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  const waiting = waitingFor.get(signal) ?? listenTo(signal)
  waiting.callbacks.add(callback)
  return () => {
    waiting.callbacks.delete(callback)
    if (waiting.callbacks.size === 0) waiting.stop()
  }
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>()
  const tell = (): void => {
    for (const callback of callbacks) callback()
  }
  const waiting: Waiting = {
    callbacks,
    stop() {
      signal.removeEventListener('abort', tell)
      if (waitingFor.get(signal) === waiting) waitingFor.delete(signal)
    },
  }
  signal.addEventListener('abort', tell)
  waitingFor.set(signal, waiting)
  return waiting
}
