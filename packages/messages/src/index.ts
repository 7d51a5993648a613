export { repairPairs } from './pairs/repair-pairs.ts'
export { safeBoundary } from './pairs/safe-boundary.ts'
export { toolLinks } from './pairs/tool-links.ts'

export type { PairRepair, RepairedMessages } from './pairs/repair-pairs.ts'
export type { ToolLinks, ToolLinksOf } from './pairs/tool-links.ts'
