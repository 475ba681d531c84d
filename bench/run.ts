import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers } from './install-peers.ts';
import { GOALS_MISSED, PART_NAMES, type PartName } from './parts/names.ts';
import { writeReports } from './report.ts';

/**
 * `npm run bench`: installs the peers when they are missing, builds Longhand, runs the parts one after the
 * other and writes the reports. Ends with 1 when a goal is missed, with 2 when a part could not be measured.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'report-only': { type: 'boolean', default: false },
  },
});
const names = parseNames(values.only);
const repository = join(import.meta.dirname, '..');

installPeers();
mustSucceed('npm', ['run', 'build', '--silent']);

const missed: PartName[] = [];
for (const name of names) {
  const part = join(import.meta.dirname, 'run-part.ts');
  const args = [part, name, ...(values.quick ? ['--quick'] : [])];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status === GOALS_MISSED) missed.push(name);
  else if (status !== 0) fail(`The part ${name} could not be measured.`);
}
if (!values.quick) writeReports();
if (missed.length > 0) {
  console.log(`\nGoals were missed in: ${missed.join(', ')}.`);
  if (!values['report-only']) process.exitCode = 1;
}

function parseNames(only: string | undefined): readonly PartName[] {
  if (only === undefined) return PART_NAMES;
  return only.split(',').map((wanted) => {
    const name = PART_NAMES.find((known) => known === wanted.trim());
    return name ?? fail(`There is no part ${wanted}; there are: ${PART_NAMES.join(', ')}.`);
  });
}

function mustSucceed(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: repository, stdio: 'inherit' });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed.`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
