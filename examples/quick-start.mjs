import { openStore } from 'turnlog'

const store = await openStore('./sessions') // LevelDB: when a write resolves, it is on disk
const key = 'telegram:42'
await store.addMessage(key, 'user', 'What is the capital of France?')
await store.addMessage(key, 'assistant', 'Paris.')

// load() returns a consistent snapshot: messages, their positions in the log, and the version they belong to.
const { messages, positions, version } = await store.load(key)
const thinking = summarise(messages) // takes seconds with a real model
await store.addMessage(key, 'user', 'And of Italy?') // and the user does not wait for it

// Replace what was read with its summary, in one atomic write. What came meanwhile stays.
await store.summarize(key, { summary: await thinking, through: positions.at(-1), version })

console.log(await store.load(key)) // the summary, and one message: And of Italy?
await store.close()

async function summarise(messages) {
  return `${messages.length} messages: asked for the capital of France, which is Paris.`
}
