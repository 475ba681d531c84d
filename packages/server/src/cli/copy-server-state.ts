import { copyKeys } from '../access/copy-keys.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { copySpool } from '../conversation/copy-spool.ts';

/**
 * Takes along what a server keeps beside its store: API keys and members, and messages that wait to be archived. May be
 * asked for again. Whoever is signed in signs in again.
 */
export function copyServerState(
  from: Pick<ServerConfig, 'stateFolder'>,
  to: Pick<ServerConfig, 'stateFolder'>,
): { readonly api_keys: number; readonly waiting_messages: number } {
  return {
    api_keys: copyKeys(from.stateFolder, to.stateFolder),
    waiting_messages: copySpool(from.stateFolder, to.stateFolder),
  };
}
