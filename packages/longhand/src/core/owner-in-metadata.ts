import { parseName } from './ids.ts';
import type { SessionOrigin } from './records.ts';
import { parseTimestamp } from './timestamps.ts';

export const METADATA_DOCUMENT = 'metadata.json';

/** Whose session it is, as far as its `metadata.json` tells. One that cannot be understood tells nothing. */
export function parseOwner(sessionId: string, metadata: string | undefined): SessionOrigin | undefined {
  if (metadata === undefined) return undefined;
  try {
    const { session_id, user_id, account_id, created_at } = JSON.parse(metadata) as Record<string, unknown>;
    if (session_id !== sessionId) return undefined;
    return {
      user_id: parseName(user_id, 'user id'),
      account_id: parseName(account_id, 'account id'),
      created_at: new Date(parseTimestamp(created_at, 'created_at')).toISOString(),
    };
  } catch {
    return undefined;
  }
}
