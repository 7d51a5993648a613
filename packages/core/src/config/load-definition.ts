import { CONTRACT } from '../backend/backend.ts'
import type { BackendDefinition } from '../backend/backend-definition.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import { nearestName } from '../errors/nearest-name.ts'
import type { BackendLoader } from './register-backends.ts'
import { registeredBackends, registeredOptions } from './register-backends.ts'

/** The backend that core itself brings. */
export const MEMORY = 'memory'

/**
 * Imports the backend of that name: a registered one, core's own, or a module that the registered `find` sees from the
 * file `base`. The first that is there is used, or its failure is the answer: what is installed but broken is never
 * passed over.
 *
 * @throws `BACKEND_NOT_FOUND`, `BACKEND_LOAD_FAILED`, `CONTRACT_MISMATCH`
 */
export async function loadDefinition(name: string, base: string | undefined): Promise<BackendDefinition> {
  const known = registeredBackends().get(name) ?? (name === MEMORY ? loadMemory : undefined)
  const load = known ?? (await registeredOptions().find?.(name, base))
  if (load === undefined) throw notFound(name, base)
  try {
    return checkDefinition(name, await load())
  } catch (error) {
    throw isStoreError(error) ? error : loadFailed(name, error)
  }
}

const loadMemory: BackendLoader = () => import('../memory/index.ts')

/** True if `error` says that something which the backend needs is missing or was built for another machine. */
export function isLoadError(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  const codes: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']
  return codes.includes(code) || /native build/i.test(messageOf(error))
}

export function loadFailed(name: string, cause: unknown): StoreError {
  const runtime = registeredOptions().describeRuntime?.()
  const where = runtime === undefined ? '' : ` on ${runtime}`
  return new StoreError(
    'BACKEND_LOAD_FAILED',
    `Backend ${JSON.stringify(name)} is installed but does not load${where}: ${messageOf(cause)} ` +
      'Install it again on this machine, without leaving out optional dependencies.',
    { cause },
  )
}

function checkDefinition(name: string, module: unknown): BackendDefinition {
  const exported = module as { readonly backend?: Partial<Record<keyof BackendDefinition, unknown>> }
  const { backend } = exported
  if (typeof backend !== 'object' || backend === null) {
    const found = Object.keys(exported).join(', ')
    throw new StoreError(
      'BACKEND_LOAD_FAILED',
      `${JSON.stringify(name)} is no backend: it has to export an object "backend", but ${found === '' ? 'exports nothing' : `exports only: ${found}`}.`,
    )
  }
  checkContract(name, backend.contract)
  if (typeof backend.create !== 'function') {
    throw new StoreError('BACKEND_LOAD_FAILED', `${JSON.stringify(name)} is no backend: it has no create().`)
  }
  return backend as BackendDefinition // every field that is used has been checked
}

/** @throws `CONTRACT_MISMATCH` */
export function checkContract(name: string, contract: unknown): void {
  if (contract === CONTRACT) return
  throw new StoreError(
    'CONTRACT_MISMATCH',
    `Backend ${JSON.stringify(name)} implements version ${String(contract)} of the backend contract, and this ` +
      `@turnlog/core needs version ${CONTRACT}. Install versions of both that belong together.`,
  )
}

function notFound(name: string, base: string | undefined): StoreError {
  const looked = base === undefined ? '' : ` (looked from ${base.replace(/[^/\\]*$/, '')})`
  const quoted = JSON.stringify(name)
  if (registeredOptions().find === undefined) {
    const message = `There is no backend ${quoted}: core alone knows only "memory". Import openStore from "turnlog", register the backend, or pass an instance.`
    return new StoreError('BACKEND_NOT_FOUND', message)
  }
  if (/^[./]|^file:|^[A-Za-z]:[\\/]/.test(name)) {
    return new StoreError('BACKEND_NOT_FOUND', `There is no backend file ${quoted}${looked}.`)
  }
  const known = [...new Set([...registeredBackends().keys(), MEMORY])]
  const nearest = nearestName(name, known)
  const advice =
    nearest === undefined
      ? // Not a command to be copied: there are packages of such names that are no backends.
        `Backends known by name: ${known.join(', ')}. If the backend comes from an npm package, install that package.`
      : `Did you mean "${nearest}"?`
  return new StoreError('BACKEND_NOT_FOUND', `There is no backend ${quoted}${looked}. ${advice}`)
}

/** The first line of it, as a sentence: the rest are lists of paths, and the whole is kept as the cause. */
function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return /[.!?]$/.test(line) ? line : `${line}.`
}
