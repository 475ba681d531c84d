import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';

/** Where and when a result came about. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly fileSystem: string;
  readonly node: string;
  /** Processes that wanted a core in the minute before the part began: more than cores means crowded figures. */
  readonly loadBefore: number;
  readonly date: string;
  readonly commit: string;
}

/** Numbers by which Linux knows the kinds of file systems that a temporary folder is usually on. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  16914836: 'tmpfs',
  2435016766: 'btrfs',
  1481003842: 'xfs',
  2035054128: 'overlay',
};

/** To be called before the measurements begin. */
export function describeMachine(): Machine {
  const { type } = statfsSync(tmpdir());
  return {
    cpu: cpus()[0]!.model,
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: process.platform,
    fileSystem: FILE_SYSTEMS[type] ?? `0x${type.toString(16)}`,
    node: process.version,
    loadBefore: Math.round(loadavg()[0]! * 10) / 10,
    date: new Date().toISOString(),
    commit: describeCommit(),
  };
}

function describeCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const hasChanges = git('status', '--porcelain', '--', '../packages') !== '';
    return git('rev-parse', '--short=10', 'HEAD') + (hasChanges ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}
