/**
 * The campaigns of `npm test` at their nightly counts. Takes hours; every campaign prints its seed when it
 * fails. Arguments go to Vitest: `npm run torture -- power-cut`.
 */
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  'npx',
  [
    'vitest',
    'run',
    '--project',
    'campaigns',
    '--testTimeout',
    String(24 * 3_600_000),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, LONGHAND_TORTURE: '1' } },
);
process.exit(status ?? 1);
