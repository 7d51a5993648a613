/** Something that whoever started the run can put right. Shown without a stack, which would say where we noticed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
