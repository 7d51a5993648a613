/**
 * What each API refuses, as its documentation and its own validators say it (see the files in `src/apis`), written
 * without a line of the code that is judged. They give the first thing that is wrong, or undefined. What is still open at the very
 * end is the business of the next request.
 */
interface Any {
  readonly [name: string]: unknown
}

interface Turn {
  readonly role: string
  readonly calls: readonly string[]
  readonly results: readonly string[]
  /** Content that is neither call nor result nor reasoning. */
  readonly says: boolean
  /** In the order of the parts. */
  readonly kinds: string
}

const isAny = (value: unknown): value is Any => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Any[] => (Array.isArray(value) ? value.filter(isAny) : [])

/** t text, b blank text, c call, r result, h reasoning */
function kindOf(part: Any): string {
  const type = String(part['type'])
  if (isAny(part['functionCall']) || isAny(part['toolUse']) || type === 'tool_use' || type === 'tool-call') return 'c'
  if (isAny(part['functionResponse']) || isAny(part['toolResult']) || type === 'tool_result' || type === 'tool-result')
    return 'r'
  if (type === 'thinking' || type === 'reasoning') return 'h'
  return typeof part['text'] === 'string' && part['text'].trim() === '' ? 'b' : 't'
}

function idOf(part: Any): string {
  const inner = part['functionCall'] ?? part['functionResponse'] ?? part['toolUse'] ?? part['toolResult'] ?? part
  const fields = inner as Any
  return String(fields['tool_use_id'] ?? fields['toolUseId'] ?? fields['toolCallId'] ?? fields['id'])
}

function turnOf(message: Any): Turn {
  const role = String(message['role'])
  if (role === 'tool' && !Array.isArray(message['content'])) {
    return {
      role,
      calls: [],
      results: [String(message['tool_call_id'] ?? message['toolCallId'])],
      says: true,
      kinds: 'r',
    }
  }
  const parts = listOf(message['parts'] ?? message['content'])
  const text = typeof message['content'] === 'string' ? message['content'] : undefined
  const kinds = parts.map(kindOf).join('') + (text === undefined ? '' : text.trim() === '' ? 'b' : 't')
  const beside = listOf(message['tool_calls'] ?? message['toolCalls']).map(({ id }) => String(id))
  return {
    role,
    calls: [...parts.filter((part) => kindOf(part) === 'c').map(idOf), ...beside],
    results: parts.filter((part) => kindOf(part) === 'r').map(idOf),
    says: kinds.includes('t'),
    kinds,
  }
}

interface Rules {
  readonly roles: string
  readonly beginsWithUser?: boolean
  readonly alternates?: boolean
  readonly joinsRoles?: boolean
  readonly oneMessageOfResults?: boolean
  readonly textWithResults?: boolean
  readonly systemFirst?: boolean
}

function judge(messages: readonly object[], rules: Rules): string | undefined {
  const turns = (messages as readonly Any[]).map(turnOf)
  for (const [at, turn] of turns.entries()) {
    const { role, calls, results, kinds } = turn
    const before = turns[at - 1]
    if (!rules.roles.split(' ').includes(role)) return `${at}: role ${role}`
    if (rules.systemFirst === true && role === 'system' && at > 0) return `${at}: system behind the first`
    if (calls.length === 0 && results.length === 0 && !turn.says) return `${at}: empty`
    if (Array.isArray((messages[at] as Any)['content'] ?? (messages[at] as Any)['parts'])) {
      if (rules.textWithResults !== undefined && kinds.includes('b')) return `${at}: blank text`
      if (kinds.endsWith('h')) return `${at}: ends with thinking`
      if (/t.*r/.test(kinds)) return `${at}: text in front of results`
      if (rules.textWithResults === false && /r.*t/.test(kinds)) return `${at}: text beside results`
    }
    if (results.length > 0 && before?.calls.length === 0 && before.results.length === 0)
      return `${at}: results behind no calls`
    const wrong = judgeResults(turns, at, rules)
    if (wrong !== undefined) return `${at}: ${wrong}`
  }
  return judgeOrder(turns, rules)
}

function judgeResults(turns: readonly Turn[], at: number, rules: Rules): string | undefined {
  const turn = turns[at]
  if (turn === undefined || turn.calls.length === 0) return undefined
  const found: string[] = []
  let next = at + 1
  while ((turns[next]?.results.length ?? 0) > 0) {
    found.push(...(turns[next]?.results ?? []))
    next++
    if (rules.oneMessageOfResults === true) break
  }
  const extra = found.filter((id) => !turn.calls.includes(id))
  if (extra.length > 0 || new Set(found).size < found.length) return `results without call: ${found.join()}`
  // Open calls at the end wait for their results.
  if (next >= turns.length) return undefined
  return found.length === turn.calls.length ? undefined : `calls ${turn.calls.join()}, results ${found.join()}`
}

function judgeOrder(turns: readonly Turn[], rules: Rules): string | undefined {
  const spoken = turns.filter(({ role }) => role !== 'system')
  const [first] = spoken
  if (rules.beginsWithUser === true && first !== undefined && (first.role !== 'user' || first.results.length > 0)) {
    return 'does not begin with the user'
  }
  if (rules.alternates !== true) return undefined
  const sides = spoken.map(({ role }) => (role === 'tool' ? 'tool' : role === 'user' ? 'user' : 'model'))
  for (const [at, side] of sides.entries()) {
    const before = sides[at - 1]
    if (side !== 'tool' && side === before) return `${at}: ${side} twice`
    if (side === 'user' && before === 'tool') return `${at}: user behind results`
  }
  return undefined
}

function judgeItems(messages: readonly object[]): string | undefined {
  const items = messages as readonly Any[]
  const open = new Map<unknown, number>()
  for (const [at, { type, role, call_id, content }] of items.entries()) {
    if (type === 'function_call') open.set(call_id, at)
    if (type === 'function_call_output' && !open.delete(call_id)) return `${at}: output without call`
    if (role === 'user' && open.size > 0) return `${at}: call without output`
    const next = items[at + 1]
    const isLed =
      next !== undefined &&
      (next['type'] === 'function_call' || next['role'] === 'assistant' || next['type'] === 'reasoning')
    if (type === 'reasoning' && !isLed) return `${at}: reasoning alone`
    if (role === 'assistant' && content === '') return `${at}: empty`
  }
  return undefined
}

const UI_FINISHED = new Set<unknown>(['output-available', 'output-error', 'output-denied'])

function judgeUi(messages: readonly object[]): string | undefined {
  for (const [at, message] of (messages as readonly Any[]).entries()) {
    const parts = listOf(message['parts'])
    if (parts.length === 0) return `${at}: no parts`
    for (const { type, state, approval, errorText } of parts) {
      if (!String(type).startsWith('tool-')) continue
      if (at < messages.length - 1 && !UI_FINISHED.has(state)) return `${at}: open call`
      const approved = isAny(approval) ? approval['approved'] : undefined
      if (state === 'output-error' && (typeof errorText !== 'string' || (isAny(approval) && approved !== true)))
        return `${at}: error`
      if (state === 'output-denied' && approved !== false) return `${at}: denied`
    }
  }
  return undefined
}

const chatRoles = 'system developer user assistant tool'

export const validators = {
  'openai-chat': (messages: readonly object[]) => judge(messages, { roles: chatRoles }),
  'openai-responses': judgeItems,
  anthropic(messages: readonly object[]) {
    const marks = JSON.stringify(messages).split('"cache_control"').length - 1
    if (marks > 4) return `${marks} cache marks`
    return judge(messages, { roles: 'user assistant', beginsWithUser: true, textWithResults: true })
  },
  gemini: (messages: readonly object[]) =>
    judge(messages, {
      roles: 'user model',
      beginsWithUser: true,
      alternates: true,
      oneMessageOfResults: true,
      textWithResults: false,
    }),
  bedrock: (messages: readonly object[]) =>
    judge(messages, {
      roles: 'user assistant',
      beginsWithUser: true,
      alternates: true,
      oneMessageOfResults: true,
      textWithResults: false,
    }),
  mistral: (messages: readonly object[]) =>
    judge(messages, { roles: 'system user assistant tool', beginsWithUser: true, alternates: true, systemFirst: true }),
  cohere: (messages: readonly object[]) => judge(messages, { roles: 'system user assistant tool' }),
  alternating: (messages: readonly object[]) =>
    judge(messages, { roles: 'system user assistant tool', beginsWithUser: true, alternates: true, systemFirst: true }),
  'ai-sdk-ui': judgeUi,
  'ai-sdk-model': (messages: readonly object[]) => judge(messages, { roles: 'system user assistant tool' }),
} as const
