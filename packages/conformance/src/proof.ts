/** What proves a sentence of the contract, or why no case can. */
export type Proof = readonly [string, ...string[]] | { readonly because: string }

export const core: Proof = { because: 'It speaks of core or names a thing; a backend can neither keep nor break it.' }
