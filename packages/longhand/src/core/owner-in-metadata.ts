import { parseName } from './ids.ts';
import type { SessionOrigin } from './records.ts';
import { LOCAL_ACCOUNT } from './scopes.ts';
import { parseSessionSettings, type SessionSettings } from './session-options.ts';
import { parseTimestamp } from './timestamps.ts';

export type SessionOwnerRecord = SessionOrigin & SessionSettings;
export const METADATA_DOCUMENT = 'metadata.json';

/** What `metadata.json` tells of a session; nothing when it makes no sense. One without an account has the settings too. */
export function parseOwner(sessionId: string, text: string | undefined): SessionOwnerRecord | undefined {
  try {
    const metadata = JSON.parse(text ?? '') as Record<string, unknown>;
    const { session_id, account_id, preferences, decay_config, compaction_config } = metadata;
    if (session_id !== sessionId) return undefined;
    return {
      user_id: parseName(metadata.user_id, 'user id'),
      account_id: parseName(account_id ?? LOCAL_ACCOUNT, 'account id'),
      created_at: new Date(parseTimestamp(metadata.created_at, 'created_at')).toISOString(),
      ...parseSessionSettings(
        account_id === undefined ? { preferences, decay_config, compaction_config } : {},
      ),
    };
  } catch {
    return undefined;
  }
}
