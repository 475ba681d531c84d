import { defineConfig } from 'vitest/config';

const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  pool: 'forks',
  maxWorkers: 2,
  setupFiles: 'packages/longhand/test/chance.ts',
} as const;

const RUNS_EVERY_EXAMPLE = ['test/documentation.test.ts'];

/**
 * `fast` is what a developer runs all day: the tests beside the sources, and the rules of the house.
 * `campaigns` take their time: faults, kills, power cuts, models, real processes.
 */
export default defineConfig({
  // The server is tested with the library as it stands, not as it was last built.
  ssr: { resolve: { conditions: ['longhand-source', 'node', 'import'] } },
  test: {
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', 'packages/longhand/src/testing/**'],
      reporter: ['text', 'html'],
      // Every branch of the code that decides whether a memory is lost: codec, log, lock, recovery.
      thresholds: {
        'packages/longhand/src/core/{line,log-decoder,running-digest}.ts': { branches: 100 },
        'packages/longhand/src/stores/file/*.ts': { branches: 100 },
        'packages/longhand/src/stores/memory/*.ts': { branches: 100 },
      },
    },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'fast',
          // One module graph for all files of a worker: loading it a hundred times took a third of the time.
          isolate: false,
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: RUNS_EVERY_EXAMPLE,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'campaigns',
          include: ['packages/*/test/**/*.test.ts', ...RUNS_EVERY_EXAMPLE],
          testTimeout: 600_000,
        },
      },
    ],
  },
});
