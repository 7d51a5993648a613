import type { Campaign } from '../campaign.ts'
import { damage } from './damage.ts'
import { kill } from './kill.ts'
import { owners } from './owners.ts'

/** All of them, the most telling first. */
export const CAMPAIGNS: readonly Campaign[] = [kill, damage, owners]
