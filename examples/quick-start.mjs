import { openStore } from 'turnlog'

const store = await openStore('./sessions') // LevelDB: resolved means durable
const key = 'telegram:42'

await store.addMessage(key, 'user', 'What is the capital of France?')
const reply = await callModel(await store.load(key)) // load gives summary and messages of one version
await store.addMessage(key, reply)

// When the history has grown: summarise what you have read and cut just that, in one append.
const { version, positions } = await store.load(key)
await store.summarize(key, { summary: 'Asked for the capital of France.', through: positions[0], version })

console.log(await store.load(key))
await store.close()

async function callModel({ summary, messages }) {
  return { role: 'assistant', content: `Paris. (I read ${messages.length} message, summary: "${summary}")` }
}
