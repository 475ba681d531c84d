import { isCurrent, linesSetAside } from '../../core/read-log.ts';
import { SCHEMA_VERSION } from '../../core/records.ts';
import { LOCAL_ACCOUNT } from '../../core/scopes.ts';
import type { LogSlice, LogStore } from '../../core/store.ts';
import { fieldsOf, ifRefused } from '../failures.ts';
import type { LayerContext } from '../layer-context.ts';
import { damagedLines } from '../unreadable-lines.ts';
import { INDEX_DOCUMENT } from './projections.ts';
import { foldSession, type SessionFold } from './session-fold.ts';
import { addressOf, isUnreadable, usersNaming } from './sessions.ts';
import { EPOCH } from './stored-record.ts';
import { ownerBeside } from './trouble-reports.ts';

/**
 * What no line of a session's log shows alone: that its owner cannot be determined, that its user's list of sessions
 * does not name it, and that lines are gone. The files beside the log are made from it, so what they name and the log
 * does not hold was there once.
 */

/** Whether a user's list of sessions names a session. */
type IsListed = (userId: string, sessionId: string) => Promise<boolean>;

interface SessionProblem {
  readonly kind: 'owner' | 'unnamed' | 'lost';
  readonly reason: string;
}

const IDS_SHOWN = 5;
/** Of a memory that a person wrote without an id: made from its line, and another one when that is edited. */
const ID_OF_LINE = /^mem_[0-9a-f]{26}$/;
const NAMED_ID = /"id":"([A-Za-z0-9_]{1,32})"/g;

/**
 * @param index `index.json` as it was before the log was read: what was written in between is then no loss
 * @param slice the whole log, read with `check: 'full'`
 */
export async function problemsOfSession(
  { store, schema }: Pick<LayerContext, 'store' | 'schema'>,
  isListed: IsListed,
  sessionId: string,
  index: string | undefined,
  slice: LogSlice,
): Promise<readonly SessionProblem[]> {
  let fold: SessionFold;
  try {
    fold = foldSession(sessionId, slice, schema);
  } catch (error) {
    // A line of a later version, which is reported separately: what else it leaves out is unknown.
    if (isUnreadable(error)) return [];
    throw error;
  }
  return [
    ...(await problemOfOwner(store, sessionId, fold)),
    ...(await problemOfName(store, isListed, sessionId, fold, slice)),
    ...(await problemOfLosses(store, sessionId, index, fold)),
  ];
}

/** The readable index of a session; `undefined` when there is none, or something else in its place. */
export function readIndexOf(store: LogStore, sessionId: string): Promise<string | undefined> {
  return readBeside(store, sessionId, INDEX_DOCUMENT);
}

async function problemOfOwner(
  store: LogStore,
  sessionId: string,
  fold: SessionFold,
): Promise<readonly SessionProblem[]> {
  if ((fold.session?.user_id ?? '') !== '') return [];
  if ((await ownerBeside(store, sessionId)) !== undefined) return [];
  const users = await usersNaming(store, sessionId);
  const line = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    record: 'session',
    session_id: sessionId,
    timestamp: fold.session?.created_at ?? fold.entries[0]?.entry.timestamp ?? EPOCH,
    user_id: users.length === 1 ? users[0] : 'USER',
    account_id: LOCAL_ACCOUNT,
  });
  const reason =
    'No record names its owner, and neither does metadata.json: all of the session is left out of lists, searches and ' +
    `the user's export. Restore the first line of the log, or put one there, with the right user: ${line}`;
  return [{ kind: 'owner', reason }];
}

async function problemOfName(
  store: LogStore,
  isListed: IsListed,
  sessionId: string,
  { session }: SessionFold,
  { position }: LogSlice,
): Promise<readonly SessionProblem[]> {
  const owner = session?.user_id ?? '';
  if (owner === '' || (await isListed(owner, sessionId))) return [];
  // A process that has written to it since has named it; and one that is gone, or another's by now, needs no name.
  if (!(await isCurrent(store, addressOf(sessionId), position))) return [];
  const reason =
    "The list of its user's sessions does not name it: it is left out of lists, searches and exports of all sessions " +
    `until it is written to. Was its folder put here by hand? \`longhand reindex --user ${owner}\` takes it in.`;
  return [{ kind: 'unnamed', reason }];
}

async function problemOfLosses(
  store: LogStore,
  sessionId: string,
  index: string | undefined,
  fold: SessionFold,
): Promise<readonly SessionProblem[]> {
  const named = idsIn(index, fold);
  if (named.length === 0) return [];
  const aside = await linesSetAside(store, addressOf(sessionId));
  const damaged = [...damagedLines(fold.damage), ...aside.map(({ line }) => line)].map(({ text }) => text);
  const tombstones = (await readBeside(store, sessionId, 'tombstones.jsonl')) ?? '';
  const known = new Set([
    ...fold.entries.map(({ entry }) => entry.id),
    ...fold.deletedIds,
    ...[...damaged, tombstones].flatMap((text) => [...text.matchAll(NAMED_ID)].map(([, id]) => id!)),
  ]);
  const lost = named.filter((id) => !known.has(id));
  // A damaged line that has lost its name may be one of them, and is reported separately.
  const nameless = damaged.filter((text) => text.search(NAMED_ID) < 0).length;
  if (lost.length <= nameless) return [];
  // Another process may have created the session again in between.
  if ((await readIndexOf(store, sessionId)) !== index) return [];
  const shown = lost.slice(0, IDS_SHOWN).join(', ');
  const more = lost.length > IDS_SHOWN ? ` and ${lost.length - IDS_SHOWN} more` : '';
  const memories = lost.length === 1 ? '1 memory' : `${lost.length} memories`;
  return [
    { kind: 'lost', reason: `index.json names ${memories} that the log does not hold: ${shown}${more}.` },
  ];
}

/** The memories that an index says are in the log; none when it tells nothing of the log as it is. */
function idsIn(index: string | undefined, { lastCompaction }: SessionFold): readonly string[] {
  const { last_updated, entries } = fieldsOf(index);
  // A compaction that was cut off before it wrote the index may have dropped what that names.
  const isLater = typeof last_updated === 'string' && last_updated >= (lastCompaction ?? '');
  if (lastCompaction !== undefined && !isLater) return [];
  return Object.keys(entries ?? {}).filter((id) => !ID_OF_LINE.test(id));
}

function readBeside(store: LogStore, sessionId: string, name: string): Promise<string | undefined> {
  return store.readDocument(addressOf(sessionId), name).catch(ifRefused);
}
