import { ifGone } from '../core/errors.ts';
import { readLog } from '../core/read-log.ts';
import type { Erasure, Leftovers, NotesPieces, WholeSession } from '../layers/layer.ts';
import { addressOf } from '../layers/memories/sessions.ts';
import { choiceOf, choiceOfAgent } from './choice.ts';
import type { CheckedRequest, Selection } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { planJournals, planTakenFromUser } from './private-pieces.ts';
import { type PlannedSessions, planSessions } from './session-plan.ts';

/**
 * What a request to forget comes to, before anything is touched: the preview shows it, and the erasure carries
 * it out. It holds ids, never text.
 *
 * What was made from a message goes with it, and what goes takes the message with it that it was made from, in
 * whatever session of the user it is (lineage.ts). What was deleted before and still stands in the log counts as there
 * and goes at last, and so does an earlier text of a memory, and a message that has passed its retention and is still in
 * the summary.
 *
 * What cannot be read may be what is meant: a topic and a time take it along in every session that they reach; ids in
 * those where something of theirs was found, and wherever it names them (layers/unreadable-lines.ts). What writers
 * that died have left behind goes from every session in the scope.
 *
 * A session that cannot be read at all can be forgotten as a whole like any other. Nothing can be taken from it in part:
 * the others are done, and then the caller gets an error that names it, and no receipt (privacy.ts).
 */
export interface ErasurePlan extends PlannedSessions {
  /** Sessions that go as a whole. */
  readonly wholeSessions: readonly SeenSession[];
  readonly leftovers: Leftovers;
  readonly notes: readonly NotesPieces[];
  /** Agents that go as a whole, with journal and core. */
  readonly agents: readonly string[];
  /** A user of whom nothing is to remain. */
  readonly user: string | undefined;
}

export interface SeenSession extends WholeSession {
  /** `undefined` when it cannot be told. */
  readonly owner?: string | undefined;
  /** How many it holds, when its log was read for that already. */
  readonly memories?: number;
}

const NOTHING: ErasurePlan = {
  wholeSessions: [],
  sessions: [],
  otherSessions: [],
  found: new Set(),
  unread: [],
  leftovers: 'old',
  notes: [],
  agents: [],
  journals: [],
  user: undefined,
};

/**
 * @param incarnation that the session must be in which the request names; any when left out
 * @throws NotFoundError SESSION_NOT_FOUND when it is gone, or in another one
 */
export async function planErasure(
  layers: PrivacyLayers,
  request: CheckedRequest,
  incarnation?: string,
): Promise<ErasurePlan> {
  switch (request.scope) {
    case 'agent':
      return planAgent(layers, request.agentId, request);
    case 'session':
      return planSession(layers, request.sessionId, request, incarnation);
    case 'user':
      return planUser(layers, request.userId, request);
  }
}

/** Whether there is anything to do. Drafts of writers that died do not count: they go at upkeep. */
export function isEmpty(plan: ErasurePlan): boolean {
  const { wholeSessions, sessions, unread, notes, agents, journals, user } = plan;
  const lists = [wholeSessions, sessions, unread, notes, agents, journals];
  return lists.every(({ length }) => length === 0) && user === undefined;
}

async function planSession(
  layers: PrivacyLayers,
  sessionId: string,
  { what, beforeMs }: CheckedRequest,
  incarnation: string | undefined,
): Promise<ErasurePlan> {
  const [isOld] = await olderThan(layers, [sessionId], beforeMs);
  if (isOld === undefined) return NOTHING;
  const userId = (await layers.sessions.sessionIfReadable(sessionId))?.user_id;
  const beside = userId === undefined ? [] : await layers.context.store.list('session', userId);
  const reach = await olderThan(layers, beside, beforeMs);
  if (what.by === 'everything') {
    const whole = { scope: [], whole: [sessionId], reach, choice: NONE, userId, incarnation };
    const seen = await wholeSession(layers, sessionId);
    const { sessions, journals } = await planSessions(layers, whole);
    const wholeSessions = [{ ...seen, incarnation: incarnation ?? seen.incarnation }];
    return { ...NOTHING, sessions, journals, wholeSessions };
  }
  const choice = choiceOf(what, beforeMs);
  const planned = await planSessions(layers, { scope: [sessionId], reach, choice, userId, incarnation });
  return { ...NOTHING, ...planned, leftovers: leftoversOf(what) };
}

const NONE = choiceOf({ by: 'ids', ids: new Set() });

async function planUser(
  layers: PrivacyLayers,
  userId: string,
  { what, beforeMs }: CheckedRequest,
): Promise<ErasurePlan> {
  // A copy that a person made by hand goes as well.
  await layers.context.store.folder?.adoptSessions(userId);
  const named = await layers.context.store.list('session', userId);
  const notes = await planNotes(layers, { userId }, what, beforeMs);
  if (what.by === 'everything') {
    const all = await wholeSessionsOf(layers, userId, named);
    const allIds = all.map(({ sessionId }) => sessionId);
    const ids = await olderThan(layers, allIds, beforeMs);
    // Who came back after being forgotten is not forgotten with what an old copy has brought back.
    const isAll =
      beforeMs === undefined ||
      (ids.length === all.length && (await layers.notes.list(userId)).length === notes.length);
    const user = isAll && (beforeMs === undefined || ids.length + notes.length > 0) ? userId : undefined;
    const journals = await planTakenFromUser(layers, userId, ids, beforeMs);
    const isOld = new Set(ids);
    const wholeSessions = all.filter(({ sessionId }) => isOld.has(sessionId));
    return { ...NOTHING, wholeSessions, journals, notes, user };
  }
  const choice = choiceOf(what, beforeMs);
  const scope = await olderThan(layers, named, beforeMs);
  const planned = await planSessions(layers, { scope, reach: [], choice, userId });
  const journals = [...planned.journals];
  for (const [agentId, held] of what.by === 'ids' ? (what.ofAgents ?? []) : []) {
    const along = new Set(journals.flatMap((journal) => (journal.agentId === agentId ? journal.ids : [])));
    const others = new Set(held.filter((id) => !along.has(id)));
    journals.push(...(await planPrivate(layers, agentId, others)).journals);
  }
  return { ...NOTHING, ...planned, journals, notes, leftovers: leftoversOf(what) };
}

/** Its journal and core, its notes on all users, what it wrote into sessions, and its name among those who take part. */
async function planAgent(
  layers: PrivacyLayers,
  agentId: string,
  { what, beforeMs }: CheckedRequest,
): Promise<ErasurePlan> {
  if (what.by === 'ids') return planPrivate(layers, agentId, what.ids);
  const { store } = layers.context;
  const agent = await layers.agents.find(agentId).catch(() => ({ created_at: '' }));
  // An agent of the same name that was made since is another one.
  if (agent !== undefined && isNewer(agent.created_at, beforeMs)) return NOTHING;
  const rest = new Set(await store.list('session'));
  const planned: PlannedSessions[] = [];
  const choice = choiceOfAgent(agentId);
  const plan = async (ids: readonly string[]): Promise<void> => {
    const scope = await olderThan(layers, ids, beforeMs);
    planned.push(await planSessions(layers, { scope, reach: [], choice, agentId }));
  };
  for (const userId of await store.list('user')) {
    const ofUser = (await store.list('session', userId)).filter((id) => rest.delete(id));
    await plan(ofUser);
  }
  for (const id of rest) await plan([id]);
  const notes = await planNotes(layers, { agentId }, { by: 'everything' }, beforeMs);
  const agents = agent === undefined ? [] : [agentId];
  const sessions = planned.flatMap((each) => each.sessions);
  const otherSessions = planned.flatMap((each) => each.otherSessions);
  const unread = planned.flatMap((each) => each.unread);
  // Its own goes as a whole.
  const journals = planned.flatMap((each) => each.journals).filter((other) => other.agentId !== agentId);
  return { ...NOTHING, sessions, otherSessions, unread, journals, notes, agents };
}

/** Deleted ones that still stand in the log too. */
async function planPrivate(
  layers: PrivacyLayers,
  agentId: string,
  ids: ReadonlySet<string>,
): Promise<ErasurePlan> {
  const kept = await layers.journal.keptIds(agentId).catch(ifGone);
  if (kept === undefined) return NOTHING;
  const named = [...ids].filter((id) => kept.has(id));
  const journals = await planJournals(layers, [[agentId, named]], ids, false);
  const found = new Set([...named, ...journals.flatMap(({ unreadLines }) => unreadLines.names)]);
  return { ...NOTHING, journals, found };
}

function leftoversOf(what: Selection): Leftovers {
  return what.by === 'time' ? { startMs: what.startMs, endMs: what.endMs } : 'old';
}

/**
 * Of those that the user's change file names. A name may stay there when a process dies while it removes a session, and be
 * used again by another user: theirs are left alone. Those whose owner cannot be determined count as the user's.
 */
async function wholeSessionsOf(layers: PrivacyLayers, userId: string, named: readonly string[]) {
  const own: SeenSession[] = [];
  for (const sessionId of named) {
    // A user may have many: each log is read once, for its owner and for what it holds.
    const fold = await layers.maintenance.fold(sessionId).catch(() => undefined);
    const owner = fold?.session?.user_id;
    const seen = owner
      ? { sessionId, owner, incarnation: fold.incarnation, memories: fold.entries.length }
      : await wholeSession(layers, sessionId);
    if (seen.owner === undefined || seen.owner === userId) own.push(seen);
  }
  return own;
}

/** One look gives both its owner, where it can be determined, and its incarnation. */
export async function wholeSession(
  { context: { store }, sessions }: PrivacyLayers,
  sessionId: string,
): Promise<SeenSession> {
  const view = await sessions.glanceIfReadable(sessionId);
  const owner = view?.hasSession ? view.session.user_id : undefined;
  if (view !== undefined) return { sessionId, incarnation: view.incarnation, owner };
  // It is gone, or of a later schema. The incarnation of that one can be told without understanding it.
  const incarnation = await readLog(store, addressOf(sessionId), { maxBytes: 1 }).then(
    (slice) => slice.incarnation,
    () => undefined,
  );
  return { sessionId, incarnation, owner };
}

async function olderThan(
  { sessions }: PrivacyLayers,
  ids: readonly string[],
  beforeMs: number | undefined,
): Promise<readonly string[]> {
  if (beforeMs === undefined) return ids;
  const old: string[] = [];
  for (const id of ids) {
    const view = await sessions.glanceIfReadable(id);
    if (view !== undefined && !isNewer(view.session.created_at, beforeMs)) old.push(id);
  }
  return old;
}

function isNewer(timestamp: string, beforeMs: number | undefined): boolean {
  return beforeMs !== undefined && Date.parse(timestamp) > beforeMs;
}

/**
 * Carries out a plan. Each step rewrites the files that it concerns before the next one begins, so what has been
 * erased when a crash comes is erased, and asking again does the rest: what goes along with something goes before it,
 * because it is found by it. A session that was deleted since is gone, and one that has its name by now is another.
 */
export async function erase({ all }: PrivacyLayers, plan: ErasurePlan): Promise<void> {
  for (const step of stepsOf(plan)) {
    try {
      for (const layer of all) await layer.erase?.(step);
    } catch (error) {
      ifGone(error);
    }
  }
}

function* stepsOf({ leftovers, user: userId, ...plan }: ErasurePlan): Generator<Erasure> {
  for (const journal of plan.journals) yield { kind: 'journal', ...journal };
  const alongFirst = plan.sessions.toSorted(
    (left, right) => Math.sign(right.takenAlong.length) - Math.sign(left.takenAlong.length),
  );
  for (const session of alongFirst) yield { kind: 'pieces', leftovers, ...session };
  const last = plan.wholeSessions.at(-1);
  // With the last one, readers are notified of all that are gone, and the index is cleared of them: once, not for each.
  for (const session of plan.wholeSessions)
    yield { kind: 'session', goingUser: session === last ? undefined : userId, ...session };
  for (const session of plan.otherSessions) yield { kind: 'leftovers', leftovers, ...session };
  for (const notes of plan.notes) yield { kind: 'notes', ...notes };
  for (const agentId of plan.agents) yield { kind: 'agent', agentId };
  if (userId !== undefined) yield { kind: 'user', userId };
}

/** Of a user, or of an agent on all users. @param beforeMs notes that were begun later are not meant */
async function planNotes(
  { context: { store }, notes }: PrivacyLayers,
  whose: { readonly userId: string } | { readonly agentId: string },
  what: Selection,
  beforeMs: number | undefined,
): Promise<readonly NotesPieces[]> {
  const planned: NotesPieces[] = [];
  const users = 'userId' in whose ? [whose.userId] : await store.list('user');
  const kept: { readonly userId: string; readonly agentId: string }[] = [];
  for (const userId of users) for (const agentId of await notes.list(userId)) kept.push({ userId, agentId });
  for (const { userId, agentId } of kept) {
    if ('agentId' in whose && whose.agentId !== agentId) continue;
    if (what.by === 'everything') {
      if (await wereBegunBefore(notes, userId, agentId, beforeMs))
        planned.push({ userId, agentId, lines: undefined });
    } else if (what.by === 'time') {
      const noted = await notes.linesNoted(userId, agentId);
      const isMeant = ([, ms]: readonly [string, number]): boolean => ms >= what.startMs && ms <= what.endMs;
      const lines = new Set([...noted].filter(isMeant).map(([line]) => line));
      if (lines.size > 0 || (await notes.isDamaged(userId, agentId)))
        planned.push({ userId, agentId, lines });
    } else if (what.by === 'ids' && what.noteLines?.has(agentId)) {
      planned.push({ userId, agentId, lines: what.noteLines.get(agentId) });
    }
  }
  return planned;
}

async function wereBegunBefore(
  notes: PrivacyLayers['notes'],
  userId: string,
  agentId: string,
  beforeMs: number | undefined,
): Promise<boolean> {
  if (beforeMs === undefined) return true;
  const [oldest] = await notes.versions(userId, agentId);
  return oldest === undefined || Date.parse(oldest.timestamp) <= beforeMs;
}
