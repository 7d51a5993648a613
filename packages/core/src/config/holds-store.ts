import { nodeModules } from '../runtime/node-modules.ts'

/** False only if there is certainly nothing: no such path, or an empty directory. */
export async function holdsStore(path: string): Promise<boolean> {
  const node = nodeModules()
  if (node === undefined) return true
  try {
    const directory = await node.fs.promises.opendir(path)
    const entry = await directory.read()
    await directory.close()
    return entry !== null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
