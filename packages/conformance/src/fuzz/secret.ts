/** Stands for what a user said: it must never be in an error, nor in bytes of another session. */
export const SECRET = 'SECRET-7f3a91-of-another'

/** Whether an error, or one of its causes, holds the secret. */
export function tellsSecret(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return `${error.message}${error.stack ?? ''}`.includes(SECRET) || tellsSecret(error.cause)
}
