import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `npm run build`: builds all packages when a source has changed since the last time, and says nothing but that it
 * does, unless it fails. What was built from is remembered by names, sizes and times of the sources.
 */
const repository = join(import.meta.dirname, '..');
const SOURCES = [
  'package-lock.json',
  'tsconfig.json',
  'packages/*/{package,tsconfig*}.json',
  'packages/*/*.ts',
  'scripts/lean-bundle.ts',
  'packages/*/src/**/*',
  'packages/console/{index.html,public/*}',
];
const BUILT = [
  'packages/longhand/dist/index.js',
  'packages/longhand/dist/index.d.ts',
  'packages/server/dist/longhand.js',
  'packages/server/dist/console/index.html',
];
const stamp = join(repository, 'node_modules/.cache/longhand/built-from');

const sources = fingerprint();
const isBuilt = BUILT.every((file) => existsSync(join(repository, file)));
if (!isBuilt || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources) build();

function build(): void {
  process.stderr.write('Building …\n');
  // Should this be interrupted, the next one builds again.
  rmSync(stamp, { force: true });
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    ['run', 'build', '--workspaces', '--if-present'],
    {
      cwd: repository,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) {
    process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\nThe build failed.\n`);
    process.exit(1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, sources);
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: repository }).sort()) {
    const { size, mtimeMs } = statSync(join(repository, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
