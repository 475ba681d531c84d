import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the campaigns need and `npm install` does not bring, because nothing else needs it: 290 MB so far. It is installed
 * before the first campaign, and again when a version here has changed.
 */
const PACKAGES: Readonly<Record<string, string>> = { 'onnxruntime-node': '1.22.0' };

export const CAMPAIGN_FOLDER = join(import.meta.dirname, '../node_modules/.cache/longhand/campaigns');

/** Called by Vitest before the campaigns. @throws Error when something cannot be installed: no campaign is left out */
export default function install(): void {
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
