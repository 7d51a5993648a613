/** A signal that aborts with the caller's, or when its controller is told to. */
export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Lets go of the caller's signal, which may live much longer. */
  readonly leave: () => void
}

/**
 * Not `AbortSignal.any`: what that makes stays registered with a signal that lives long.
 *
 * @param controllers where its controller is found as long as it is needed
 */
export function joinedSignal(controllers: Set<AbortController>, caller: AbortSignal | undefined): JoinedSignal {
  const controller = new AbortController()
  const abort = (): void => controller.abort(caller?.reason)
  controllers.add(controller)
  if (caller?.aborted === true) abort()
  else caller?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    leave: () => {
      caller?.removeEventListener('abort', abort)
      controllers.delete(controller)
    },
  }
}
