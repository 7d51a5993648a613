import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@turnlog/source'] },
  ssr: { resolve: { conditions: ['@turnlog/source'] } },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'examples/test/**/*.test.ts',
      'bench/test/**/*.test.ts',
      'proof/test/**/*.test.ts',
    ],
    // Most of the time goes to the disk and to child processes, not to this process.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
