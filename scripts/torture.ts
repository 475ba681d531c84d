/**
 * What `npm test` and `npm run campaigns` try at random, at its nightly counts. Takes hours; what fails prints its
 * seed. Arguments go to Vitest: `npm run torture -- power-cut`.
 */
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  'npx',
  [
    'vitest',
    'run',
    ...['--project', 'suites', '--project', 'campaigns'],
    '--testTimeout',
    String(24 * 3_600_000),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, LONGHAND_TORTURE: '1' } },
);
process.exit(status ?? 1);
