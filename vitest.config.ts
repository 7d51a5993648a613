import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@turnlog/source'] },
  ssr: { resolve: { conditions: ['@turnlog/source'] } },
  test: {
    include: [
      'test/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/test/**/*.test.ts',
      'bench/test/**/*.test.ts',
      'proof/test/**/*.test.ts',
    ],
    // What takes a minute by itself runs with `npm run test:slow` and in .ci/run, so that `npm test` stays short.
    exclude: [...configDefaults.exclude, ...(process.env['TURNLOG_SLOW_TESTS'] === '1' ? [] : ['**/*.slow.test.ts'])],
    // Most of the time goes to the disk and to child processes, not to this process.
    maxWorkers: 3,
    // Loading the packages anew for each file takes a fifth of the time. No test replaces a module.
    isolate: false,
    restoreMocks: true,
    // How long to wait for something that must come. It bounds a hang and judges nothing: a busy machine is slow.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
