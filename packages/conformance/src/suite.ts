/** What a report says of this package; a test holds it against package.json. */
export const suite: { readonly name: string; readonly version: string } = {
  name: '@turnlog/conformance',
  version: '0.1.0',
}
