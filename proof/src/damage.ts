/** One thing done to one file of a store. */
export type Damage =
  | { readonly kind: 'flip'; readonly file: string; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut'; readonly file: string; readonly at: number }
  | { readonly kind: 'delete'; readonly file: string }
  /** Replaced by what it was at an earlier moment. */
  | { readonly kind: 'older'; readonly file: string }

export function describeDamage(damage: Damage): string {
  switch (damage.kind) {
    case 'flip':
      return `bit ${damage.bit} of byte ${damage.at} of ${damage.file} flipped`
    case 'cut':
      return `${damage.file} cut to ${damage.at} bytes`
    case 'delete':
      return `${damage.file} deleted`
    case 'older':
      return `${damage.file} replaced by an older copy`
    default:
      return damage satisfies never
  }
}
