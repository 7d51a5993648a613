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

/** The median of the ratios of each round: what disturbs a round disturbs both, and cancels out. */
export function pairedRatio(numerators: readonly number[], denominators: readonly number[]): number {
  const rounds = Math.min(numerators.length, denominators.length)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    ratios.push((numerators[round] as number) / (denominators[round] as number))
  }
  return median(ratios)
}
