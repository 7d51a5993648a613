/** What decides whether a native module loads, for error texts: `linux-x64, glibc 2.36, Node 20.20.2`. */
export function describeRuntime(): string {
  const libc = process.platform === 'linux' ? `${describeLibc(process.report)}, ` : ''
  return `${process.platform}-${process.arch}, ${libc}Node ${process.versions.node}`
}

function describeLibc(report: NodeJS.ProcessReport & { excludeNetwork?: boolean }): string {
  const { excludeNetwork } = report
  // Otherwise the report looks up the names of all connected peers, which can take seconds.
  report.excludeNetwork = true
  const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } }
  report.excludeNetwork = excludeNetwork ?? false
  return header?.glibcVersionRuntime === undefined ? 'musl' : `glibc ${header.glibcVersionRuntime}`
}
