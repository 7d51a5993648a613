export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] as number
  const above = sorted[Math.ceil(at)] as number
  return below + (above - below) * (at - Math.floor(at))
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function ratiosByRound(numerators: readonly number[], denominators: readonly number[]): number[] {
  const rounds = Math.min(numerators.length, denominators.length)
  return Array.from({ length: rounds }, (_, round) => (numerators[round] as number) / (denominators[round] as number))
}

/** The median of the ratios of each round: what disturbs a round disturbs both, and cancels out. */
export function pairedRatio(numerators: readonly number[], denominators: readonly number[]): number {
  return median(ratiosByRound(numerators, denominators))
}

/** Quartiles of a normal distribution lie so far apart, and its median is so much less certain than its mean. */
const QUARTILES_APART = 1.349
const MEDIAN_LOSS = 1.253

/** The standard error of a median as a share of it, from the quartiles: outliers do not move those. */
export function medianError(values: readonly number[]): number {
  const deviation = (quantile(values, 0.75) - quantile(values, 0.25)) / QUARTILES_APART
  return (MEDIAN_LOSS * deviation) / Math.sqrt(values.length) / Math.abs(median(values))
}
