import { defineConfig } from 'vitest/config';

const shared = { testTimeout: 120_000, hookTimeout: 120_000, pool: 'forks', maxWorkers: 2 } as const;

/**
 * `fast` is what a developer runs all day: the tests beside the sources, and the rules of the house.
 * `campaigns` take their time: faults, kills, power cuts, models, real processes.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'fast', include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'] } },
      { test: { ...shared, name: 'campaigns', include: ['packages/*/test/**/*.test.ts'], testTimeout: 600_000 } },
    ],
  },
});
