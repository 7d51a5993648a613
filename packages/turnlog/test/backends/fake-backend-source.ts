/** The source of a module that exports a backend, as plain text, for packages made by tests. */
export function fakeBackendSource(name: string, extra: { contract?: number; prelude?: string } = {}): string {
  const { contract = 1, prelude = '' } = extra
  return `${prelude}
const stub = async () => undefined
export const backend = {
  name: '${name}',
  contract: ${contract},
  create: (options) => ({
    contract: ${contract}, name: '${name}', options, capabilities: {},
    open: async () => ({ findings: [] }), close: stub, append: stub, read: stub, head: stub, list: stub, erase: stub,
  }),
}
`
}
