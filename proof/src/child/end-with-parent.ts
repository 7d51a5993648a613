/** A child whose parent is gone has nobody to write for. Its standard input ends with the parent. */
export function endWithParent(): void {
  process.stdin.once('close', () => process.exit(1))
  process.stdin.resume()
  const { unref } = process.stdin as { unref?: () => void }
  unref?.call(process.stdin)
}
