import type { Campaign } from '../campaign.ts'
import { damage } from './damage.ts'
import { history } from './history.ts'
import { ioErrors } from './io-errors.ts'
import { kill } from './kill.ts'
import { killPoints } from './kill-points.ts'
import { owners } from './owners.ts'
import { power } from './power.ts'
import { readers } from './readers.ts'
import { sharers } from './sharers.ts'

/** All of them, the most telling first. */
export const CAMPAIGNS: readonly Campaign[] = [
  kill,
  killPoints,
  readers,
  sharers,
  power,
  damage,
  owners,
  ioErrors,
  history,
]
