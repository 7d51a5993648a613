/**
 * A second opinion on pairs, by brute force over flattened JSON, that shares no code with what it judges. A block ends
 * at a message of the user or, where roles say so, of the assistant that has neither calls nor results.
 */
export interface Ends {
  readonly calls: readonly string[]
  readonly results: readonly string[]
  readonly endsTurn: boolean
}

export function endsOf(message: object, sayEndsTurn: boolean): Ends {
  const calls: string[] = []
  const results: string[] = []
  collect(message, calls, results)
  const text = JSON.stringify(message)
  const isUser = text.includes('"role":"user"')
  const isAssistant = text.includes('"role":"assistant"') || text.includes('"role":"model"')
  const bare = calls.length === 0 && results.length === 0
  return { calls, results, endsTurn: bare && (isUser || (isAssistant && sayEndsTurn)) }
}

/** Pairs as `[call index, result index]`, calls cut short, orphan results, and calls still waiting at the end. */
export function judge(messages: readonly object[], sayEndsTurn: boolean) {
  const pairs: [number, number][] = []
  const interrupted: number[] = []
  const orphans: number[] = []
  let waiting: { id: string; at: number; block: number }[] = []
  let block = 0
  let isAnswered = false
  for (const [at, message] of messages.entries()) {
    const { calls, results, endsTurn } = endsOf(message, sayEndsTurn)
    for (const id of results) {
      const found = waiting.findIndex((call) => call.id === id)
      if (found === -1) orphans.push(at)
      else pairs.push([waiting.splice(found, 1)[0]?.at ?? -1, at])
      if (found !== -1) isAnswered = true
    }
    // Calls of the Responses API are items without a role.
    const isOfModel = /"role":"(?:assistant|model)"|"type":"function_call"/.test(JSON.stringify(message))
    if (calls.length > 0 && isAnswered && isOfModel) {
      block++
      isAnswered = false
    }
    for (const { at: older } of waiting.filter(({ id }) => calls.includes(id))) interrupted.push(older)
    waiting = waiting.filter(({ id }) => !calls.includes(id))
    for (const id of calls) waiting.push({ id, at, block })
    if (!endsTurn) continue
    for (const call of waiting) interrupted.push(call.at)
    waiting = []
    isAnswered = false
  }
  // The model went on without the results of its earlier calls: those hold up no cut.
  const held = waiting.filter((call) => call.block === block)
  return { pairs, interrupted, orphans, pending: held.map(({ at }) => at) }
}

function collect(value: unknown, calls: string[], results: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const fields = value as Record<string, string | undefined>
  const { functionCall, functionResponse } = value as Record<string, Record<string, string> | undefined>
  const { type, role } = fields
  const add = (to: string[], id: string | undefined): void => void to.push(id ?? 'no id')
  if (functionCall) add(calls, functionCall['id'] ?? functionCall['name'])
  else if (functionResponse) add(results, functionResponse['id'] ?? functionResponse['name'])
  else if (role === 'tool' && 'tool_call_id' in fields) add(results, fields['tool_call_id'])
  else if (type === 'function' || type === 'tool_use') add(calls, fields['id'])
  else if (type === 'tool_result') add(results, fields['tool_use_id'])
  else if (type === 'tool-call') add(calls, fields['toolCallId'])
  else if (type === 'tool-result') add(results, fields['toolCallId'])
  else if (type === 'function_call') add(calls, fields['call_id'] ?? fields['callId'])
  else if (type === 'function_call_output') add(results, fields['call_id'])
  else if (type === 'function_call_result') add(results, fields['callId'])
  else for (const inner of Object.values(fields)) collect(inner, calls, results)
}
