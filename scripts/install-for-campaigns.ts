import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the campaigns need and `npm install` does not bring, because nothing else needs it: npm packages of 290 MB, and programs
 * of the system. Packages are installed before the first campaign, and again when a version here has changed; programs when
 * they are missing and the system's package manager may be used.
 */
const PROGRAMS: Readonly<Record<string, () => string | undefined>> = {
  pgbouncer: () => findProgram('pgbouncer'),
  'redis-server': findRedis,
};
const PACKAGES: Readonly<Record<string, string>> = { 'onnxruntime-node': '1.22.0' };

export const CAMPAIGN_FOLDER = join(import.meta.dirname, '../node_modules/.cache/longhand/campaigns');

/** Called by Vitest before the campaigns. @throws Error when something cannot be installed: no campaign is left out */
export default function install(): void {
  for (const [program, find] of Object.entries(PROGRAMS))
    if (find() === undefined && !installedByDebian([program], find))
      throw new Error(`The campaigns need ${program}: install it with the system's package manager.`);
  installPackages();
}

/** Where a program is; `undefined` when it is missing. Debian keeps servers in a folder that is not in every PATH. */
export function findProgram(name: string): string | undefined {
  return [name, `/usr/sbin/${name}`].find((path) => spawnSync(path, ['--version']).status === 0);
}

/** Valkey does as well. */
export function findRedis(): string | undefined {
  return findProgram('redis-server') ?? findProgram('valkey-server');
}

/** Whether the program is there once Debian's package manager, as far as it may be used, has installed the packages. */
export function installedByDebian(packages: readonly string[], find: () => string | undefined): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args: string[]) => spawnSync('apt-get', args, { env, stdio: 'ignore' });
  if (process.getuid?.() === 0) {
    run('update');
    run('install', '-y', '--no-install-recommends', ...packages);
  }
  return find() !== undefined;
}

function installPackages(): void {
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const stamp = join(CAMPAIGN_FOLDER, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted.join('\n')) return;
  mkdirSync(CAMPAIGN_FOLDER, { recursive: true });
  // Their scripts only fetch what graphics cards need.
  const args = ['install', '--prefix', CAMPAIGN_FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', [...args, ...wanted], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`The campaigns need ${wanted.join(', ')}, but npm failed:\n${stderr}`);
  writeFileSync(stamp, wanted.join('\n'));
}
