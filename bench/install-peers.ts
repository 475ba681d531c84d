import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Beside the benchmark, not into the workspace: the peers are heavy. */
export function installPeers(): void {
  if (existsSync(join(import.meta.dirname, 'node_modules'))) return;
  console.log('Installing the peers into bench/node_modules …');
  const { status } = spawnSync('npm', ['ci', '--prefix', import.meta.dirname], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The peers could not be installed.');
}
