import { CONTRACT } from '../backend/backend.ts'
import type { BackendDefinition } from '../backend/backend-definition.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import { builtInBackends, CORE_LOCATION } from './built-in-backends.ts'
import { describeRuntime } from './describe-runtime.ts'
import { locateModule } from './locate-module.ts'
import { nearestName } from './nearest-name.ts'
import { registeredBackends } from './register-backends.ts'

/**
 * Finds and imports the backend of that name. In this order: a registered one; a built-in one as core sees it, then as
 * the file `base` sees it; a module that `base` sees. The first that is there is used, or its failure is the answer:
 * what is installed but broken is never passed over.
 *
 * @throws `BACKEND_NOT_FOUND`, `BACKEND_LOAD_FAILED`, `CONTRACT_MISMATCH`
 */
export async function loadDefinition(name: string, base: string | undefined): Promise<BackendDefinition> {
  const registered = registeredBackends().get(name)
  if (registered !== undefined) return checkDefinition(name, await loading(name, registered))

  const builtIn = builtInBackends.get(name)
  let missing: unknown
  if (builtIn !== undefined) {
    try {
      return checkDefinition(name, await builtIn.load())
    } catch (error) {
      if (isStoreError(error)) throw error
      if (!isMissingModule(error) || isInstalled(builtIn.packageName, CORE_LOCATION)) throw loadFailed(name, error)
      missing = error
    }
  }

  const url = locateModule(builtIn?.packageName ?? name, base)
  if (url === undefined) throw notFound(name, builtIn?.packageName, base, missing)
  const importModule = (): Promise<unknown> => import(/* webpackIgnore: true */ /* @vite-ignore */ url)
  return checkDefinition(name, await loading(name, importModule))
}

/** Also true if `error` says that something which the backend needs is missing or was built for another machine. */
export function isLoadError(error: unknown): boolean {
  return isMissingModule(error) || codeOf(error) === 'ERR_DLOPEN_FAILED' || /native build/i.test(messageOf(error))
}

export function loadFailed(name: string, cause: unknown): StoreError {
  return new StoreError(
    'BACKEND_LOAD_FAILED',
    `Backend ${JSON.stringify(name)} is installed but does not load on ${describeRuntime()}: ${messageOf(cause)} ` +
      'Install it again on this machine, without leaving out optional dependencies.',
    { cause },
  )
}

async function loading(name: string, load: () => Promise<unknown>): Promise<unknown> {
  try {
    return await load()
  } catch (error) {
    throw loadFailed(name, error)
  }
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

function notFound(name: string, packageName: string | undefined, base: string | undefined, cause: unknown): StoreError {
  const looked = base === undefined ? '' : ` (looked from ${base.replace(/[^/\\]*$/, '')})`
  if (packageName !== undefined) {
    return new StoreError(
      'BACKEND_NOT_FOUND',
      `Backend "${name}" needs a package that is not installed${looked}. Run: npm install ${packageName}`,
      { cause },
    )
  }
  const quoted = JSON.stringify(name)
  if (/^[./]|^file:|^[A-Za-z]:[\\/]/.test(name)) {
    return new StoreError('BACKEND_NOT_FOUND', `There is no backend file ${quoted}${looked}.`)
  }
  const known = [...new Set([...builtInBackends.keys(), ...registeredBackends().keys()])]
  const nearest = nearestName(name, known)
  const advice =
    nearest === undefined
      ? // Not a command to be copied: there are packages of such names that are no backends.
        `Backends known by name: ${known.join(', ')}. If the backend comes from an npm package, install that package.`
      : `Did you mean "${nearest}"?`
  return new StoreError('BACKEND_NOT_FOUND', `There is no backend ${quoted}${looked}. ${advice}`)
}

function isInstalled(packageName: string | undefined, location: string | undefined): boolean {
  return packageName === undefined || locateModule(packageName, location) !== undefined
}

/** What Vite throws in place of an optional peer that is not there, without a code. */
const MISSING_IN_VITE = /^Could not resolve "[^"]+" imported by "/

function isMissingModule(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || MISSING_IN_VITE.test(messageOf(error))
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code
}

/** The first line of it, as a sentence: the rest are lists of paths, and the whole is kept as the cause. */
function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return /[.!?]$/.test(line) ? line : `${line}.`
}
