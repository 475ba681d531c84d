import type { SessionOwnerRecord } from '../../core/owner-in-metadata.ts';
import {
  type Changed,
  type CompactionOverride,
  type DecayOverride,
  type Preferences,
  SCHEMA_VERSION,
  type SessionOrigin,
  type SessionRecord,
} from '../../core/records.ts';
import { EPOCH } from './stored-record.ts';

/** A session as its log describes it. */
export interface Session extends SessionOrigin {
  readonly id: string;
  readonly agents: readonly string[];
  readonly preferences: Preferences;
  /** What this session decides for itself; everything else comes from the configuration. */
  readonly decay_config: DecayOverride;
  readonly compaction_config: CompactionOverride;
}

/** The session after one more of its records. Objects are merged field by field, lists are replaced. */
export function applySessionRecord(session: Session | undefined, record: SessionRecord): Session {
  return {
    ...ownerAfter(session, record, record.created_at ?? record.timestamp),
    id: record.session_id,
    agents: record.agents === undefined ? (session?.agents ?? []) : (record.agents ?? []),
    preferences: changeSettings(session?.preferences, record.preferences),
    decay_config: changeSettings(session?.decay_config, record.decay_config),
    compaction_config: changeSettings(session?.compaction_config, record.compaction_config),
  };
}

/** The session with an owner found beside its log, who counts only when its own records name none. */
export function applyOwner(
  session: Session | undefined,
  id: string,
  owner: Partial<SessionOwnerRecord>,
): Session {
  const settings = {
    id,
    agents: [],
    preferences: changeSettings({}, owner.preferences),
    decay_config: changeSettings({}, owner.decay_config),
    compaction_config: changeSettings({}, owner.compaction_config),
  };
  return { ...settings, ...session, ...ownerAfter(session, owner, owner.created_at ?? EPOCH) };
}

/** All that a session's records say, in one. */
export function foldedRecord(session: Session): SessionRecord {
  const { agents, preferences, decay_config, compaction_config } = session;
  return {
    schema_version: SCHEMA_VERSION,
    record: 'session',
    session_id: session.id,
    timestamp: session.created_at,
    user_id: session.user_id,
    account_id: session.account_id,
    ...(agents.length === 0 ? {} : { agents }),
    ...(isEmpty(preferences) ? {} : { preferences }),
    ...(isEmpty(decay_config) ? {} : { decay_config }),
    ...(isEmpty(compaction_config) ? {} : { compaction_config }),
  };
}

/** An owner of '' is one that no record has told yet. */
function ownerAfter(
  session: Session | undefined,
  owner: Partial<SessionOrigin>,
  created_at: string,
): SessionOrigin {
  if (session !== undefined && session.user_id !== '') {
    const { user_id, account_id, created_at } = session;
    return { user_id, account_id, created_at };
  }
  return { user_id: owner.user_id ?? '', account_id: owner.account_id ?? '', created_at };
}

/** Settings after a change: `null` takes one of them, or all, back to the default. */
export function changeSettings<Settings extends object>(
  present: Settings | undefined,
  changes: Changed<Settings> | null | undefined,
): Settings {
  if (changes === null) return {} as Settings;
  const merged = Object.entries({ ...present, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as Settings;
}

function isEmpty(settings: object): boolean {
  return Object.keys(settings).length === 0;
}
