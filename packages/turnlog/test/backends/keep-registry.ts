import { registeredBackends } from '../../../core/src/config/register-backends.ts'

const holder = globalThis as unknown as Record<symbol, unknown>
const OPTIONS = Symbol.for('turnlog.backendOptions')

/** Other tests of this process count on what is registered. @returns puts it back */
export function keepRegistry(): () => void {
  const loaders = [...registeredBackends()]
  const options = holder[OPTIONS]
  return () => {
    forgetRegistry()
    for (const [name, loader] of loaders) registeredBackends().set(name, loader)
    holder[OPTIONS] = options
  }
}

export function forgetRegistry(): void {
  registeredBackends().clear()
  holder[OPTIONS] = undefined
}
