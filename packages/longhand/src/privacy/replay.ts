import { ifGone } from '../core/errors.ts';
import { NOTHING_CHOSEN } from './choice.ts';
import type { CheckedRequest, Selection, Subject } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { hashOf, pieceName, privateName, type Receipt } from './receipts.ts';
import { outlineSession } from './session-outline.ts';

/**
 * What a receipt asks for in the store as it is now. A receipt holds hashes, and a hash tells no name: so the names
 * that are there, of users, sessions, agents, tags and pieces, are hashed and compared.
 *
 * Only what is older than the receipt is meant. A forgotten user may have come back, and a key or a tag may have been
 * used again.
 */
export async function requestsOf(
  layers: PrivacyLayers,
  receipt: Receipt,
): Promise<readonly CheckedRequest[]> {
  const beforeMs = Date.parse(receipt.timestamp);
  const requests: CheckedRequest[] = [];
  for (const named of await subjectsOf(layers, receipt)) {
    const what = await selectionOf(layers, receipt, named);
    if (what !== undefined) requests.push({ ...named, what, beforeMs } as CheckedRequest);
  }
  if ((receipt.taken_along ?? []).length === 0) return requests;
  const along = new Set(receipt.taken_along);
  for (const sessionId of await layers.context.store.list('session')) {
    const { ids } = await namesIn(layers, sessionId);
    const found = ids.filter((id) => along.has(hashOf(pieceName(sessionId, id))));
    if (found.length > 0)
      requests.push({ scope: 'session', sessionId, what: { by: 'ids', ids: new Set(found) }, beforeMs });
  }
  for (const agentId of await layers.context.store.list('agent')) {
    const kept = (await layers.journal.keptIds(agentId).catch(ifGone)) ?? [];
    const found = [...kept].filter((id) => along.has(hashOf(privateName(agentId, id))));
    if (found.length > 0)
      requests.push({ scope: 'agent', agentId, what: { by: 'ids', ids: new Set(found) }, beforeMs });
  }
  return requests;
}

async function subjectsOf(
  { context: { store }, sessions }: PrivacyLayers,
  { scope, subject }: Receipt,
): Promise<readonly Subject[]> {
  const isMeant = (name: string): boolean => hashOf(name) === subject;
  switch (scope) {
    case 'user':
      return (await store.list('user')).filter(isMeant).map((userId) => ({ scope, userId }));
    case 'session':
      return (await store.list('session')).filter(isMeant).map((sessionId) => ({ scope, sessionId }));
    case 'agent': {
      const names = new Set(await store.list('agent'));
      for (const userId of await store.list('user'))
        for (const name of await store.list('notes', userId)) names.add(name);
      for (const { agents } of await sessions.list()) for (const name of agents) names.add(name);
      return [...names].filter(isMeant).map((agentId) => ({ scope, agentId }));
    }
  }
}

async function selectionOf(
  layers: PrivacyLayers,
  { selection, selected, time_range, timestamp }: Receipt,
  subject: Subject,
): Promise<Selection | undefined> {
  switch (selection) {
    case 'everything':
      return { by: 'everything' };
    case 'time': {
      if (time_range === undefined) return undefined;
      const [startMs, endMs] = [Date.parse(time_range.start), Date.parse(time_range.end)];
      return { by: 'time', startMs, endMs: Math.min(endMs, Date.parse(timestamp)) };
    }
    case 'ids': {
      const wanted = new Set(selected);
      const ids = [...(await idsOf(layers, subject))].filter((id) => wanted.has(hashOf(id)));
      return ids.length === 0 ? undefined : { by: 'ids', ids: new Set(ids) };
    }
    case 'topic': {
      const tag = (await tagsOf(layers, subject)).find((each) => selected.includes(hashOf(each)));
      return tag === undefined ? undefined : { by: 'topic', tag };
    }
  }
}

async function idsOf(layers: PrivacyLayers, subject: Subject): Promise<Iterable<string>> {
  if (subject.scope === 'agent') return (await layers.journal.keptIds(subject.agentId).catch(ifGone)) ?? [];
  const named = await namesOf(layers, subject);
  return new Set(named.flatMap(({ ids }) => ids));
}

/** Every tag and every topic above it, in lower case. */
async function tagsOf(layers: PrivacyLayers, subject: Subject): Promise<readonly string[]> {
  const named = await namesOf(layers, subject);
  return named
    .flatMap(({ tags }) => tags)
    .flatMap((tag) => {
      const levels = tag.toLowerCase().split('.');
      return levels.map((_, depth) => levels.slice(0, depth + 1).join('.'));
    });
}

async function namesOf(layers: PrivacyLayers, subject: Subject): Promise<readonly Names[]> {
  if (subject.scope === 'session') return [await namesIn(layers, subject.sessionId)];
  if (subject.scope === 'agent') return [];
  const { store } = layers.context;
  await store.folder?.adoptSessions(subject.userId);
  const named: Names[] = [];
  for (const id of await store.list('session', subject.userId)) named.push(await namesIn(layers, id));
  return named;
}

/** What can be named in a session: its pieces, also those that cannot be read, and its tags. */
type Names = Readonly<Record<'ids' | 'tags', readonly string[]>>;

async function namesIn(layers: PrivacyLayers, sessionId: string): Promise<Names> {
  try {
    const { pieces, unreadIds } = await outlineSession(layers, sessionId, 'reach', NOTHING_CHOSEN);
    const { entries } = await layers.maintenance.fold(sessionId);
    const messages = (await layers.transcripts.state(sessionId)).ids();
    const ids = [...pieces.flatMap(({ id, messageId }) => [id, messageId ?? id]), ...unreadIds, ...messages];
    return { ids, tags: [...new Set(entries.flatMap(({ entry }) => entry.tags))] };
  } catch (error) {
    ifGone(error);
    return { ids: [], tags: [] };
  }
}
