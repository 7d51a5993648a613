import { AssertionError } from 'node:assert'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'

import type { Case } from './context/case.ts'
import { firstDifference } from './report/first-difference.ts'
import { unbrandedCode } from './report/unbranded-code.ts'
import type { Target } from './context/target.ts'
import { Unproven } from './context/unproven.ts'

const MAX_TEXT_LENGTH = 2000
const SHORT_TEXT = 60

export interface FailureCircumstances {
  readonly seed: number
  readonly thorough: boolean
  /** Where the target came from, if that is known. @default the target's `module` */
  readonly targetPath?: string
}

/** Says all that the author of a backend needs: the promise, what was expected, what came, and how to see it again. */
export class ConformanceFailure extends Error {
  override readonly name = 'ConformanceFailure'
  readonly id: string
  readonly promise: string
  readonly expected: string
  readonly actual: string
  readonly repeat: string

  constructor(testCase: Case, target: Target, cause: unknown, circumstances: FailureCircumstances) {
    const { expected, actual, detail, difference } = explain(cause)
    const repeat = repeatCommand(testCase, target, circumstances)
    super(
      [
        `${testCase.id} (${testCase.level}): ${testCase.promise}`,
        `  prevents: ${testCase.prevents}`,
        ...(detail === '' ? [] : [`  at:       ${indent(detail)}`]),
        `  expected: ${indent(expected)}`,
        `  actual:   ${indent(actual)}`,
        ...(difference === undefined ? [] : [`  differs:  ${difference}`]),
        `  seed:     ${circumstances.seed}`,
        `  repeat:   ${repeat}`,
      ].join('\n'),
    )
    // Not as `cause`: test runners print that with all its values, which were shortened above for a reason.
    this.stack = `${this.message}\n${framesOf(cause)}`
    this.id = testCase.id
    this.promise = testCase.promise
    this.expected = expected
    this.actual = actual
    this.repeat = repeat
  }
}

function framesOf(cause: unknown): string {
  const lines = cause instanceof Error ? (cause.stack ?? '').split('\n') : []
  return lines.filter((line) => /^\s+at /.test(line)).join('\n')
}

interface Explanation {
  readonly expected: string
  readonly actual: string
  readonly detail: string
  /** What a reader of two long texts, or of two that look alike, cannot see. */
  readonly difference?: string
}

function explain(cause: unknown): Explanation {
  if (cause instanceof AssertionError) {
    const [expected, actual] = [show(cause.expected), show(cause.actual)]
    const named = isComparison(cause) ? firstDifference(cause.expected, cause.actual) : undefined
    const difference = named ?? (expected === actual ? 'in what a text does not show' : undefined)
    // What Node adds to a message is shown below in our own words.
    const detail = cause.generatedMessage ? '' : (cause.message.split(/\n(?:\n|\+ actual - expected)/)[0] ?? '')
    return { expected, actual, detail, ...(difference === undefined ? {} : { difference }) }
  }
  if (cause instanceof Unproven) {
    return { expected: 'a backend that can be tested', actual: `unproven: ${cause.message}`, detail: '' }
  }
  return { expected: 'no error', actual: show(cause), detail: '' }
}

/** Two short values need no more than to be shown. */
function isComparison({ expected, actual, operator }: AssertionError): boolean {
  if (operator !== 'deepStrictEqual' && operator !== 'strictEqual') return false
  return [expected, actual].some((value) => typeof value === 'object' || inspect(value).length > SHORT_TEXT)
}

function repeatCommand(testCase: Case, target: Target, circumstances: FailureCircumstances): string {
  const { seed, thorough, targetPath = pathOf(target) } = circumstances
  return `npx @turnlog/conformance ${targetPath} --grep '^${testCase.id.replaceAll('.', '\\.')}$' --seed ${seed}${thorough ? ' --thorough' : ''}`
}

/** What cannot be known is left for the reader to fill in; a made-up name would be pasted. */
function pathOf({ module }: Target): string {
  if (module === undefined) return '<target>'
  return module.startsWith('file:') ? fileURLToPath(module) : module
}

function show(value: unknown): string {
  const code = unbrandedCode(value)
  if (code !== undefined) {
    return `an error that has the code ${code}, but is not a StoreError. Core knows one by the mark that its constructor sets, not by the code alone: throw new StoreError('${code}', ...) from @turnlog/core/backend.\n${shorten(inspect(value))}`
  }
  return typeof value === 'string' ? shorten(value) : shorten(inspect(value, { depth: 6, maxArrayLength: 12 }))
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH)}... (${text.length - MAX_TEXT_LENGTH} characters more)`
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n            ')
}
