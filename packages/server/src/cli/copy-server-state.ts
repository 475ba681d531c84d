import { copyAccounts } from '../access/copy-accounts.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { copySpool } from '../conversation/copy-spool.ts';
import { openDatabase } from '../open-store.ts';
import { accountsOf } from '../services.ts';

/**
 * Takes along what a server keeps beside its store: API keys and members, and messages that wait to be archived. May be
 * asked for again. People who are signed in sign in again.
 */
export async function copyServerState(
  from: ServerConfig,
  to: ServerConfig,
  accountId: string,
): Promise<{ readonly api_keys: number; readonly waiting_messages: number }> {
  const [source, target] = [await openDatabase(from, 'need'), await openDatabase(to, 'need')];
  try {
    return {
      api_keys: await copyAccounts(
        accountsOf(from, source?.calls(accountId)),
        accountsOf(to, target?.calls(accountId)),
      ),
      waiting_messages: copySpool(from.stateFolder, to.stateFolder),
    };
  } finally {
    await Promise.all([source?.close(), target?.close()]);
  }
}
