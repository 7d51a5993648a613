import type { StoreWarning } from './store-warning.ts'

/** Tells the owner of the store. A callback that throws must not undo what has succeeded: both are then reported. */
export function reportWarning(
  settings: { readonly onWarning?: (warning: StoreWarning) => void },
  warning: StoreWarning,
): void {
  if (settings.onWarning === undefined) return emit(warning)
  try {
    settings.onWarning(warning)
  } catch (error) {
    emit(warning)
    emit({ code: 'WARNING_CALLBACK_FAILED', message: `onWarning threw ${String(error)}` })
  }
}

function emit({ code, message }: StoreWarning): void {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  if (process?.emitWarning === undefined) console.warn(`[turnlog ${code}] ${message}`)
  else process.emitWarning(message, { type: 'TurnlogWarning', code })
}
