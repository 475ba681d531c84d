import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfig } from './config/server-config.ts';

/** When the store was last verified, and what came of it: beside the server's own files, for those who look after it. */
interface LastVerification {
  readonly account: string;
  readonly verified_at: string;
  readonly is_sound: boolean;
  readonly damage: number;
}

type Where = Pick<ServerConfig, 'stateFolder'>;

const FILE = 'last-verification.json';

/** Where no server has served yet, there is no folder for it, and nothing is noted: verifying makes none. */
export function noteVerification({ stateFolder }: Where, account: string, damage: number): void {
  if (!existsSync(stateFolder)) return;
  const verified_at = new Date().toISOString();
  const last: LastVerification = { account, verified_at, is_sound: damage === 0, damage };
  try {
    writeFileSync(join(stateFolder, FILE), `${JSON.stringify(last)}\n`, { mode: 0o600 });
  } catch {
    // Of a folder that may only be read, the report on the screen is all there is.
  }
}

/** `null` when there was none, or it was of another account. */
export function lastVerification(
  { stateFolder }: Where,
  of: string,
): Omit<LastVerification, 'account'> | null {
  try {
    const text = readFileSync(join(stateFolder, FILE), 'utf8');
    const { account, ...last } = JSON.parse(text) as LastVerification;
    return account === of ? last : null;
  } catch {
    return null;
  }
}
