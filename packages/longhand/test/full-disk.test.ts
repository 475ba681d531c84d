import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isTorture, temporaryFolder } from './campaign.ts';
import type { FillDiskReport, FillDiskTask } from './processes/fill-disk.ts';

/**
 * Real disks that are really full: a memory disk of 1 MB, an ext4 of 4 MB, and a limit on the size of a
 * file. The first two need a mount in a namespace of its own, and the second a loop device: only the disks that the
 * system can make are filled, and `npm run torture` fails where one is missing.
 */

const PROGRAM = fileURLToPath(new URL('processes/fill-disk.ts', import.meta.url));
const OWN_MOUNTS = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-rm'];

interface Volume {
  readonly name: string;
  /** Shell words that make the folder `$1` such a volume, with `$2` for scratch; then `exec "$@"` follows. */
  readonly prepare: string;
  readonly wrapper: readonly string[];
}

const VOLUMES: readonly Volume[] = [
  { name: 'a memory disk of 1 MB', prepare: 'mount -t tmpfs -o size=1m tmpfs "$1"', wrapper: OWN_MOUNTS },
  {
    name: 'an ext4 of 4 MB',
    prepare: 'truncate -s 4M "$2/image" && mkfs.ext4 -q "$2/image" && mount -o loop "$2/image" "$1"',
    wrapper: OWN_MOUNTS,
  },
  { name: 'files of 1 MB at most', prepare: 'ulimit -f 2048', wrapper: [] },
];

function runOn({ prepare, wrapper }: Volume, command: readonly string[]): ReturnType<typeof spawnSync> {
  const scratch = temporaryFolder();
  const folder = join(scratch, 'volume');
  mkdirSync(folder);
  const words = command.map((word) => word.replace('$FOLDER', folder));
  const script = `${prepare} && shift 2 && exec "$@"`;
  const [program, ...rest] = [...wrapper, 'sh', '-c', script, 'sh', folder, scratch, ...words];
  return spawnSync(program!, rest, { encoding: 'utf8' });
}

test('a full disk loses nothing and says so', () => {
  const possible = VOLUMES.filter((volume) => runOn(volume, ['true']).status === 0);
  const missing = VOLUMES.filter((volume) => !possible.includes(volume)).map(({ name }) => name);
  if (isTorture) expect(missing, 'root or user namespaces are needed').toEqual([]);
  if (missing.length > 0) console.log(`full disks that this system cannot make: ${missing.join(', ')}`);
  // A limit on the size of a file is there for every user.
  expect(possible).toContain(VOLUMES.at(-1));
  for (const volume of possible) {
    const task: FillDiskTask = { folder: '$FOLDER' };
    const { stdout, stderr } = runOn(volume, [process.execPath, PROGRAM, JSON.stringify(task)]);
    expect(stdout, `${volume.name}: ${stderr}`).not.toBe('');
    const found = JSON.parse(String(stdout)) as FillDiskReport;
    expect(found.acknowledged, volume.name).toBeGreaterThan(20);
    expect(found, volume.name).toMatchObject({
      code: 'STORAGE_FULL',
      found: found.acknowledged,
      damaged: 0,
      foundAfterwards: 4,
    });
  }
});
