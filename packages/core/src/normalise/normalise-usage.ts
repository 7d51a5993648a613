/** What one call of a model took, in one form for all providers. */
export interface Usage {
  /** Tokens that the model read, in all. */
  readonly input: number
  /** Tokens that it wrote, in all. */
  readonly output: number
  /** Those of `input` that came from a cache. */
  readonly cacheRead?: number
  /** Those of `input` that were written to a cache. */
  readonly cacheWrite?: number
  /** Those of `output` that were thoughts. */
  readonly reasoning?: number
}

/** The usage of one model. */
export interface ModelUsage extends Usage {
  readonly model: string
}

type Fields = Readonly<Record<string, unknown>>

/** The names of one provider. */
interface UsageNames {
  readonly input: string
  readonly output: string
  readonly cacheRead?: readonly string[]
  readonly cacheWrite?: readonly string[]
  readonly reasoning?: readonly string[]
  /** `input` leaves out what came from a cache or went into one. */
  readonly isCacheBeside?: true
  /** `output` leaves out thoughts. */
  readonly isReasoningBeside?: true
}

/** A path is names with dots between. The first whose two counts are there is taken. */
const PROVIDERS: readonly UsageNames[] = [
  // Anthropic, and the Responses API of OpenAI, which says only what is part of its input.
  {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: ['cache_read_input_tokens'],
    cacheWrite: ['cache_creation_input_tokens'],
    isCacheBeside: true,
  },
  // Chat Completions, and all who speak it (Mistral, DeepSeek).
  {
    input: 'prompt_tokens',
    output: 'completion_tokens',
    cacheRead: ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens'],
    reasoning: ['completion_tokens_details.reasoning_tokens'],
  },
  // Gemini
  {
    input: 'promptTokenCount',
    output: 'candidatesTokenCount',
    cacheRead: ['cachedContentTokenCount'],
    reasoning: ['thoughtsTokenCount'],
    isReasoningBeside: true,
  },
  // Bedrock Converse
  {
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: ['cacheReadInputTokens'],
    cacheWrite: ['cacheWriteInputTokens'],
    isCacheBeside: true,
  },
  { input: 'prompt_eval_count', output: 'eval_count' }, // Ollama
  { input: 'tokens.input_tokens', output: 'tokens.output_tokens' }, // Cohere
  // The normal form itself.
  { input: 'input', output: 'output', cacheRead: ['cacheRead'], cacheWrite: ['cacheWrite'], reasoning: ['reasoning'] },
]

/** Of the same names, but with the cached tokens as a part of the input. */
const WITH_DETAILS: Readonly<Record<string, UsageNames>> = {
  input_tokens: {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: ['input_tokens_details.cached_tokens'],
    reasoning: ['output_tokens_details.reasoning_tokens'],
  },
  inputTokens: {
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: ['inputTokenDetails.cacheReadTokens', 'cachedInputTokens'],
    cacheWrite: ['inputTokenDetails.cacheWriteTokens'],
    reasoning: ['outputTokenDetails.reasoningTokens', 'reasoningTokens'],
  },
}

const MAX_MODEL_LENGTH = 48

/**
 * The usage in a note: what a provider says, by itself or as `usage` (Gemini: `usageMetadata`) of its answer, with the
 * name of the model beside it. `undefined` if it is of no known form.
 */
export function normaliseUsage(data: unknown): ModelUsage | undefined {
  if (!isFields(data)) return undefined
  const { model, modelVersion, usage, usageMetadata } = data
  const inner = isFields(usage) ? usage : isFields(usageMetadata) ? usageMetadata : data
  const known = PROVIDERS.find(({ input, output }) => isCount(at(inner, input)) && isCount(at(inner, output)))
  if (known === undefined) return undefined
  const named = [model, modelVersion, inner['model']].find((name) => typeof name === 'string')
  const names = (hasDetails(inner) ? WITH_DETAILS[known.input] : undefined) ?? known
  return { model: named?.slice(0, MAX_MODEL_LENGTH) ?? '', ...countsOf(inner, names) }
}

function countsOf(usage: Fields, names: UsageNames): Usage {
  const cacheRead = first(usage, names.cacheRead)
  const cacheWrite = first(usage, names.cacheWrite)
  const reasoning = first(usage, names.reasoning)
  const input = at(usage, names.input) as number
  const output = at(usage, names.output) as number
  return {
    input: names.isCacheBeside === true ? input + cacheRead + cacheWrite : input,
    output: names.isReasoningBeside === true ? output + reasoning : output,
    ...(cacheRead > 0 ? { cacheRead } : undefined),
    ...(cacheWrite > 0 ? { cacheWrite } : undefined),
    ...(reasoning > 0 ? { reasoning } : undefined),
  }
}

/** The AI SDK and the Responses API, which share names with others. */
function hasDetails(usage: Fields): boolean {
  return [
    'input_tokens_details',
    'output_tokens_details',
    'inputTokenDetails',
    'cachedInputTokens',
    'reasoningTokens',
  ].some((name) => usage[name] !== undefined)
}

function first(usage: Fields, paths: readonly string[] = []): number {
  return paths.map((path) => at(usage, path)).find(isCount) ?? 0
}

function at(fields: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), fields)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
