import type { CompactionOverride, DecayOverride, Preferences, SessionRecord } from '../core/records.ts';

/** A session as its log describes it. */
export interface Session {
  readonly id: string;
  readonly user_id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly agents: readonly string[];
  readonly preferences: Preferences;
  /** What this session decides for itself; everything else comes from the configuration. */
  readonly decay_config: DecayOverride;
  readonly compaction_config: CompactionOverride;
}

/** The session after one more of its records. Objects are merged field by field, lists are replaced. */
export function applySessionRecord(session: Session | undefined, record: SessionRecord): Session {
  return {
    id: record.session_id,
    user_id: session?.user_id ?? record.user_id ?? '',
    account_id: session?.account_id ?? record.account_id ?? '',
    created_at: session?.created_at ?? record.timestamp,
    agents: record.agents ?? session?.agents ?? [],
    preferences: { ...session?.preferences, ...record.preferences },
    decay_config: { ...session?.decay_config, ...record.decay_config },
    compaction_config: { ...session?.compaction_config, ...record.compaction_config },
  };
}
