import type { CaseContext } from '../context/case.ts'
import { ChildBackend } from './child-backend.ts'

/** Runs `work` with a backend in another process, over the directory of the case unless another is named. */
export async function withChild<T>(
  { target, directory }: Pick<CaseContext, 'target' | 'directory'>,
  work: (child: ChildBackend) => Promise<T>,
): Promise<T> {
  const child = new ChildBackend(target.module ?? '', directory)
  try {
    return await work(child)
  } finally {
    await child.kill()
  }
}
