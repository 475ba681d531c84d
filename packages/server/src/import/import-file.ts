import type { ScopedMemory } from 'longhand';
import { ensurePlace } from '../daily-session.ts';
import { hasCode } from '../has-code.ts';
import { importInto } from './import-into.ts';
import { type Rehearsal, rehearseImport } from './rehearsal.ts';
import { type ImportItem, ImportRefusal, parseImport } from './source.ts';

/** What is imported, and into what. */
interface ImportRequest extends Rehearsal {
  readonly content: string;
  /** Of the file, for messages. */
  readonly name: string;
  readonly isDry: boolean;
  /** Called when so many pieces of all are done; may throw to end it. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Tries out the whole file, and then imports it.
 * @returns what became of it, or would, for programs and people
 * @throws ImportRefusal naming the line or entry that cannot be imported, and the reason
 */
export async function importFile(request: ImportRequest) {
  const { content, name, isDry, onProgress, ...options } = request;
  const memory = options.speaking(options.manager);
  const { format, account, items: all } = parseImport(content, name, memory.principal.user_id!);
  const gone = await refuseForeignSessions(all, memory, options);
  const items = all.filter((item) => !('sessionId' in item && gone.includes(item.sessionId!)));
  const rehearsed = await rehearseImport(items, options);
  let done = 0;
  const step = (count: number): void => {
    done += count;
    onProgress(done, items.length);
  };
  const makeFallback = () => ensurePlace(memory, options.fallback);
  const imported = isDry ? rehearsed : await importInto(memory, items, { ...options, makeFallback, step });
  const passed = [
    ...items.flatMap((item) => (item.kind === 'passed-over' ? [item.what] : [])),
    ...Array<string>(imported.unkeptMessages).fill('message that no transcript keeps'),
    ...Array<string>(imported.expiredDetails).fill('detail that has expired since'),
  ];
  const kinds = [...Map.groupBy(passed, (what) => what)];
  return {
    format,
    ...imported.fresh,
    already_there: imported.known,
    skipped_deleted: imported.skippedDeleted + all.length - items.length,
    passed_over: passed.length,
    passed_over_kinds: Object.fromEntries(kinds.map(([what, { length }]) => [what, length])),
    left_out_fields: Object.fromEntries(account.leftOut),
    of_other_users: Object.fromEntries(account.otherUsers),
    samples: imported.samples,
  };
}

/** Ids of sessions are unique in a store, across all users. @returns those that are gone, when these are left out */
async function refuseForeignSessions(
  items: readonly ImportItem[],
  { principal: { account_id, user_id } }: ScopedMemory,
  { manager, named, skipsDeleted }: Pick<Rehearsal, 'manager' | 'named' | 'skipsDeleted'>,
): Promise<readonly string[]> {
  const places = new Map<string, string>();
  for (const item of items) {
    const id = named ?? ('sessionId' in item ? item.sessionId : undefined);
    if (id !== undefined && !places.has(id)) places.set(id, item.place);
  }
  const { gone: marks } = await manager.layers();
  const gone: string[] = [];
  for (const [id, place] of places) {
    const session = await manager.loadSession(id).catch((error: unknown) => {
      if (hasCode(error, 'INVALID_ID')) throw new ImportRefusal(place, error.message);
      if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
    });
    const isKept = !skipsDeleted || named !== undefined || session !== undefined;
    const owner = { user_id: user_id!, account_id };
    const state = isKept
      ? session
      : await marks.seeOrNew(id, owner, neverWas).catch((error: unknown) => error);
    if (hasCode(state, 'SESSION_DELETED')) gone.push(id);
    if (session === undefined || (session.user_id === user_id && session.account_id === account_id)) continue;
    const advice = `Name another for each with longhand import --session, or import the sessions of this file into a store of their own with --storage-root.`;
    throw new ImportRefusal(place, `The session ${id} here belongs to another user. ${advice}`);
  }
  return gone;
}

/** A session that never was is not made. */
function neverWas(): never {
  throw new Error('There has never been such a session.');
}
