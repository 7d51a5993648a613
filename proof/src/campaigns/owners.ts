import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { BackendName } from '../child/make-backend.ts'
import { Owner } from '../machine/owner.ts'
import { hasTool } from '../machine/tools.ts'

const RACERS = 8
const NAMESPACE: readonly string[] = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child']

/** Two processes, threads or objects that want one store. */
export const owners: Campaign = {
  name: 'owners',
  title: 'Two owners for one store',
  async run(context) {
    // Side by side: much of the time goes by with processes that start.
    const exclusive = context.backends.filter((backend) => backend !== 'sqlite') // any number of processes may have it
    const outcomes = exclusive.map(async (backend) => [
      await secondOwners(context, backend),
      await races(context, backend, 'processes'),
      await races(context, backend, 'containers'),
    ])
    return (await Promise.all(outcomes)).flat()
  },
}

async function secondOwners(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const rounds = context.attempts(3, 60)
  const violations: string[] = []
  const directory = context.directory({ inMemory: true })
  const hasNamespaces = canContain()
  const hasTime = context.budget()
  let attempts = 0
  for (let round = 0; round < rounds && hasTime(); round++) {
    const real = join(directory, `${backend}-${round}`)
    const folder = `${backend}-${round}`
    mkdirSync(real)
    const link = join(directory, `link-${backend}-${round}`)
    symlinkSync(real, link)
    const spellings = [real, link, join(directory, '.') + `/./${folder}/`, `${directory}/${folder}/../${folder}`]
    let added = 0
    const expect = (what: string, answer: { code: string; message?: string }, code: string): void => {
      attempts++
      if (answer.code !== code) {
        violations.push(
          `${backend}, round ${round}: ${what}: ${answer.code}, expected ${code}: ${answer.message ?? ''}`,
        )
      }
    }
    const add = async (owner: Owner): Promise<void> => {
      expect('the owner writes', await owner.order({ act: 'add', backend, path: real }), 'ok')
      added++
    }
    const owner = await Owner.start()
    const other = await Owner.start()
    expect('a first owner', await owner.order({ act: 'open', backend, path: real }), 'ok')
    await add(owner)
    for (const path of spellings) {
      expect(`other process by ${path}`, await other.order({ act: 'open', backend, path }), 'LOCKED')
      expect(`same process by ${path}`, await owner.order({ act: 'open', backend, path }), 'LOCKED')
      expect(`worker by ${path}`, await owner.order({ act: 'open in a worker', backend, path }), 'LOCKED')
      // This is where LevelDB's own lock is gone.
      expect(`other process after refused ones`, await other.order({ act: 'open', backend, path }), 'LOCKED')
      await add(owner)
    }
    if (hasNamespaces) {
      const inside = await Owner.start({ through: NAMESPACE })
      expect('from another pid namespace', await inside.order({ act: 'open', backend, path: real }), 'LOCKED')
      await inside.kill()
      await add(owner)
    }
    owner.signal('SIGSTOP')
    expect('while the owner is stopped', await other.order({ act: 'open', backend, path: real }), 'LOCKED')
    owner.signal('SIGCONT')
    await add(owner)
    await owner.kill()
    if (round % 2 === 1) giveToLivingProcess(real)
    expect('after the death of the owner', await other.order({ act: 'open', backend, path: real }), 'ok')
    const { count } = await other.order({ act: 'count', backend, path: real })
    if (count !== added)
      violations.push(`${backend}, round ${round}: ${count} of ${added} acknowledged messages are left`)
    expect('closing', await other.order({ act: 'close', backend, path: real }), 'ok')
    if (hasNamespaces) {
      const inside = await Owner.start({ through: NAMESPACE })
      expect('an owner in a namespace', await inside.order({ act: 'open', backend, path: real }), 'ok')
      expect('from outside of it', await other.order({ act: 'open', backend, path: real }), 'LOCKED')
      expect('writing inside', await inside.order({ act: 'add', backend, path: real }), 'ok')
      expect('closing inside', await inside.order({ act: 'close', backend, path: real }), 'ok')
      expect('then from outside', await other.order({ act: 'open', backend, path: real }), 'ok')
      expect('closing outside', await other.order({ act: 'close', backend, path: real }), 'ok')
      expect('inside once more', await inside.order({ act: 'open', backend, path: real }), 'ok')
      await inside.kill()
      const next = await Owner.start({ through: NAMESPACE })
      expect('in place of one that was killed', await next.order({ act: 'open', backend, path: real }), 'ok')
      expect('from outside of that', await other.order({ act: 'open', backend, path: real }), 'LOCKED')
      await next.kill()
    }
    await other.kill()
    rmSync(real, { recursive: true, force: true })
    if (round % 20 === 19) context.progress(`${backend}: ${round + 1} of ${rounds} rounds`)
  }
  return {
    campaign: 'owners',
    backend,
    promise:
      'A store has one writer: same process, other spelling, link, worker, other process, stopped owner, dead owner, reused pid, other pid namespace',
    attempts,
    unit: 'attempts',
    violations,
    ...(hasNamespaces ? {} : { note: 'without pid namespaces: unshare is missing or not allowed' }),
  }
}

/** The pid of the dead owner now belongs to somebody else: the lock file says this process, with another start. */
function giveToLivingProcess(path: string): void {
  for (const name of readdirSync(path)) {
    if (!name.startsWith('turnlog.lock') || name.includes('.alive-')) continue
    const file = join(path, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid":\d+/, `"pid":${process.pid}`))
  }
}

function canContain(): boolean {
  return hasTool(NAMESPACE[0] ?? '', ...NAMESPACE.slice(1), 'true')
}

/** Eight processes, or containers with one each, that open at once, every fourth time over the lock of a dead one. */
async function races(
  context: CampaignContext,
  backend: BackendName,
  kind: 'processes' | 'containers',
): Promise<Outcome> {
  const isContained = kind === 'containers'
  const canRace = !isContained || canContain()
  const count = canRace ? context.attempts(isContained ? 20 : 40, 500) : 0
  const start = (): Promise<Owner> => Owner.start(isContained ? { through: NAMESPACE } : {})
  const violations: string[] = []
  const directory = context.directory({ inMemory: true })
  const racers = canRace ? await Promise.all(Array.from({ length: RACERS }, start)) : []
  let path = ''
  let added = 0
  const hasTime = context.budget()
  let race = 0
  for (; race < count && hasTime(); race++) {
    if (race % 25 === 0) {
      if (path !== '') rmSync(path, { recursive: true, force: true })
      path = join(directory, `race-${backend}-${kind}-${race}`)
      added = 0
    }
    const answers = await Promise.all(racers.map((racer) => racer.order({ act: 'open', backend, path })))
    const winners = racers.filter((_, index) => answers[index]?.code === 'ok')
    const odd = answers.find(({ code }) => code !== 'ok' && code !== 'LOCKED')
    const say = (text: string): void => {
      violations.push(`${backend}, race ${race} of ${kind}, seed ${context.seed}: ${text}`)
    }
    if (odd !== undefined) say(`${odd.code}: ${odd.message ?? ''}`)
    if (winners.length !== 1) say(`${winners.length} of ${RACERS} became the owner`)
    for (const winner of winners) {
      const { code, message } = await winner.order({ act: 'add', backend, path })
      if (code === 'ok') added++
      else say(`the winner cannot write: ${code}: ${message ?? ''}`)
    }
    const [winner] = winners
    if (winner === undefined) continue
    const { count: found } = await winner.order({ act: 'count', backend, path })
    if (found !== added) say(`${found} of ${added} acknowledged messages are left`)
    for (const each of winners) {
      if (race % 4 === 3) {
        await each.kill() // its lock is stale in the next race
        racers[racers.indexOf(each)] = await start()
      } else await each.order({ act: 'close', backend, path })
    }
    if (race % 100 === 99) context.progress(`${backend}: ${race + 1} of ${count} races of ${kind}`)
  }
  await Promise.all(racers.map((racer) => racer.kill()))
  return {
    campaign: 'owners',
    backend,
    promise: `Of eight ${kind} that open a store at once exactly one becomes its owner, also over a dead owner`,
    attempts: race,
    unit: 'races',
    violations,
    ...(canRace ? {} : { note: 'unshare is missing or not allowed' }),
  }
}
