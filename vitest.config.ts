import { defineConfig } from 'vitest/config';

const shared = {
  // Guards against what never ends, not measures: generous on a busy machine.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
  pool: 'forks',
  maxWorkers: 2,
  setupFiles: 'packages/longhand/test/chance.ts',
} as const;

const RUNS_EVERY_EXAMPLE = ['test/documentation.test.ts'];

/** What takes longest, and what needs more than `npm install` brings: five sixths of the time of all tests. */
const CAMPAIGNS = [
  'packages/longhand/test/{as-of-model,changed-hands,clock,durability,fault-at-every-call}.test.ts',
  'packages/longhand/test/{kill-at-every-call,kill-at-random,killed-twins,killed-while-forgetting}.test.ts',
  'packages/longhand/test/{linearizability,lives-under-writes,long-queries,long-times}.test.ts',
  'packages/longhand/test/{memory-on-files,onnx,readable-files-while-forgetting}.test.ts',
  'packages/longhand/test/{search-model,stale-takeover,vectors}.test.ts',
  'packages/longhand/test/postgres/{full-disk,memory,model,pgbouncer,trouble}.test.ts',
  'packages/{longhand/test/redis/,server/test/}redis.test.ts',
  'packages/server/test/{chat-killed,killed-archive,killed-servers,packed,pgbouncer,repeated-requests,steps-of-all,two-processes}.test.ts',
];

/** Everything that a skin of the server does, a second time with databases in place of folders; */
const ON_POSTGRES = ['packages/server/src/{cli,http}/**/*.test.ts', 'packages/server/test/**/*.test.ts'];

/** but not what is about folders alone, brings a database of its own, or has nothing to do with the store. */
const ON_ONE_STORE = [
  'packages/server/src/cli/{strange-stores,verify}.test.ts',
  'packages/server/test/{database,health,killed-servers,migrate,redis,several-accounts,several-servers}.test.ts',
  'packages/server/test/{bundle,connect,documentation,mcp-inspector,out-of-descriptors,packed,pgbouncer}.test.ts',
  'packages/server/test/{slow-clients,steps,steps-of-all}.test.ts',
];

/**
 * `fast` is what a developer runs all day: the tests beside the sources, and the rules of the house.
 * `suites` is what `npm test` runs besides: models, faults, power cuts, real processes, each for some seconds.
 * `campaigns` take their time, and are run by `npm run campaigns`; so is `postgres`.
 * `browser` drives a real Chromium (`npm run test:browser`): test/browser/harness.ts has what its tests share.
 */
export default defineConfig({
  // The server is tested with the library as it stands, not as it was last built.
  // Not 'import': the workers get the conditions too, and `require` in packages such as pg would then find modules.
  ssr: { resolve: { conditions: ['longhand-source', 'node'] } },
  test: {
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', 'packages/longhand/src/testing/**'],
      reporter: ['text', 'html'],
      // Every branch of the code that decides whether a memory is lost: codec, log, lock, recovery.
      thresholds: {
        'packages/longhand/src/core/{line,log-decoder,rewritten-lines}.ts': { branches: 100 },
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
          name: 'suites',
          include: ['packages/*/test/**/*.test.ts', ...RUNS_EVERY_EXAMPLE],
          exclude: CAMPAIGNS,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'postgres',
          env: { TEST_STORE: 'postgres' },
          include: ON_POSTGRES,
          exclude: ON_ONE_STORE,
          globalSetup: 'packages/server/test/postgres-for-all.ts',
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'campaigns',
          include: CAMPAIGNS,
          globalSetup: 'scripts/install-for-campaigns.ts',
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'browser',
          include: ['test/browser/**/*.browser.ts', 'packages/console/test/**/*.browser.ts'],
          globalSetup: ['scripts/install-for-browser.ts', 'packages/console/test/build-console.ts'],
        },
      },
    ],
  },
});
