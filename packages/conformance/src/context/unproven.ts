/** What a case throws when the backend gave it no chance to try. Never a pass: nothing is known then. */
export class Unproven extends Error {
  override readonly name = 'Unproven'
}
