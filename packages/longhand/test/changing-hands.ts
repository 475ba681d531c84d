import { expect, onTestFinished } from 'vitest';
import { type LogStore, MemoryManager, type ScopedConversation, type ScopedMemory } from '../src/index.ts';
import { TOOLS } from '../src/tools/index.ts';
import { interrupted, LOOKING_OR_WRITING } from './interrupted-store.ts';
import type { StoreOpener } from './open-stores.ts';

/**
 * Ada works with her session `chat`, and another process deletes it and makes one of the same name, with the same ids in
 * it: whatever she gets is hers, or the session is not there, and nothing of hers lands in one that is Bob's.
 */
export const SESSION = 'chat';
const SHARED = 'mem_shared';
/** More looks than any call takes. */
const MOST_LOOKS = 400;

export interface Scene {
  readonly ada: ScopedMemory;
  /** Taken while the session was hers. */
  readonly handle: ScopedConversation;
  readonly tool: (name: string, input: object) => Promise<unknown>;
}

export type Call = (scene: Scene) => Promise<unknown>;

const about = { session: SESSION, messages: [{ role: 'user', content: 'secret' }] } as const;
const tooLong = [{ role: 'user', content: `planted ${'word '.repeat(40_000)}` }] as const;

/** By a name, each way to read; and what it comes to when nothing happens has a text of Ada's in it. */
export const READS: Readonly<Record<string, Call>> = {
  loadSession: ({ ada }) => ada.loadSession(SESSION),
  getMemory: ({ ada }) => ada.getMemory(SESSION, SHARED),
  queryMemories: ({ ada }) => ada.queryMemories(SESSION),
  'queryMemories by words': ({ ada }) => ada.queryMemories(SESSION, { text: 'secret' }),
  'queryMemories of the user': ({ ada }) => ada.queryMemories(SESSION, { text: 'secret', scope: 'user' }),
  'queryMemories of the agent': ({ ada }) => ada.queryMemories(SESSION, { text: 'secret', scope: 'agent' }),
  'queryMemories as of a time': ({ ada }) => ada.queryMemories(SESSION, { asOf: '2100-01-01' }),
  pageMemories: ({ ada }) => ada.pageMemories(SESSION, { limit: 1 }),
  similarMemories: ({ ada }) => ada.similarMemories(SESSION, SHARED),
  'search in a session': ({ ada }) => ada.search({ text: 'secret' }, SESSION),
  search: ({ ada }) => ada.search({ text: 'secret' }),
  'exportSession as json': ({ ada }) => ada.exportSession(SESSION),
  'exportSession as jsonl': ({ ada }) => ada.exportSession(SESSION, 'jsonl'),
  getSessionStats: ({ ada }) => ada.getSessionStats(SESSION),
  previewFading: ({ ada }) => ada.previewFading(SESSION, { includeLasting: true }),
  messages: ({ ada }) => ada.messages(SESSION),
  assembleContext: ({ ada }) => ada.assembleContext({ ...about, budget: 4_000 }),
  'the tool search_memory': ({ tool }) => tool('search_memory', { query: 'secret' }),
  'the tool search_memory in a session': ({ tool }) =>
    tool('search_memory', { query: 'secret', thread_id: SESSION }),
  'the tool retrieve_memory': ({ tool }) => tool('retrieve_memory', { memory_key: SHARED }),
};

export const HANDLE_READS: Readonly<Record<string, Call>> = {
  'transcript.messages': ({ handle }) => handle.transcript.messages(),
  'transcript.latest': ({ handle }) => handle.transcript.latest(1),
  'transcript.count': async ({ handle }) => whoseIs(await handle.transcript.count()),
  'transcript.batches': ({ handle }) => handle.transcript.batches(),
  'transcript.state': async ({ handle }) => whoseIs((await handle.transcript.state()).present),
  'summary.current': ({ handle }) => handle.summary.current(),
  'summary.inUse': ({ handle }) => handle.summary.inUse(),
  'summary.summaryFields': ({ handle }) => handle.summary.summaryFields(),
  'summary.workingContext': ({ handle }) => handle.summary.workingContext(),
  'summary.isDue': async ({ handle }) => whoseIs((await handle.summary.isDue()) ? BOBS_MESSAGES : 0),
  'summary.recompute': ({ handle }) => handle.summary.recompute(),
  'window.read': ({ handle }) => handle.window.read(),
};

/** Calls that change something, or make something new. */
export const CHANGES: Readonly<Record<string, Call>> = {
  'updateSession, and what it gives': ({ ada }) => ada.updateSession(SESSION, { agents: ['planted'] }),
  closeSession: ({ ada }) => ada.closeSession(SESSION),
  rebuildIndex: ({ ada }) => ada.rebuildIndex(SESSION),
  'compactSession, looked at first': ({ ada }) =>
    ada.compactSession(SESSION, { dryRun: true, dropFaded: true }),
  compactSession: ({ ada }) => ada.compactSession(SESSION),
  setImportance: ({ ada }) => ada.setImportance(SESSION, SHARED, 0.9),
  deleteMemory: ({ ada }) => ada.deleteMemory(SESSION, SHARED),
  deleteMemoriesByTimeRange: ({ ada }) => ada.deleteMemoriesByTimeRange(SESSION, '2000-01-01', '2100-01-01'),
  previewForgetting: ({ ada }) => ada.previewForgetting({ session: SESSION }),
  'forget memories': async ({ ada }) => {
    // Of the ids that were asked for, it says which were not found: those are the asker's own words.
    const { not_found, ...receipt } = await ada.forget({ session: SESSION, ids: [SHARED, 'mem_of_bob'] });
    return { ...receipt, not_found: not_found?.filter((id) => id !== 'mem_of_bob') };
  },
  'forget a message': ({ ada }) => ada.forget({ session: SESSION, ids: ['m1'] }),
  'forget the session': ({ ada }) => ada.forget({ session: SESSION }),
  'redact a memory': ({ ada }) => ada.redact({ session: SESSION, memory: SHARED, text: 'secret' }),
  'redact a message': ({ ada }) => ada.redact({ session: SESSION, message: 'm1', text: 'secret' }),
  'assembleContext, which keeps what is too long': ({ ada }) =>
    ada.assembleContext({ session: SESSION, messages: tooLong, budget: 4_000 }),
  'the tool store_memory': ({ tool }) => tool('store_memory', { content: 'planted', type: 'finding' }),
  'the tool store_memory, for a large value': ({ tool }) =>
    tool('store_memory', { content: 'planted', type: 'log' }),
};

export const HANDLE_CHANGES: Readonly<Record<string, Call>> = {
  'transcript.archive': ({ handle }) => handle.transcript.archive([{ role: 'user', content: 'planted' }]),
  'summary.update': ({ handle }) => handle.summary.update(),
  'window.append': ({ handle }) => handle.window.append([{ role: 'user', content: 'planted' }]),
  'window.drop': ({ handle }) => handle.window.drop(),
};

const ADAS_MESSAGES = 6;
const BOBS_MESSAGES = 7;

function whoseIs(messages: number): string {
  return messages === BOBS_MESSAGES ? 'bob' : 'ada';
}

export async function fill(manager: MemoryManager, owner: string, text: string): Promise<void> {
  await manager.createSession(owner, { session_id: SESSION, agents: ['agent'] });
  for (const id of [SHARED, `mem_of_${text}`]) {
    const content = { text: `${text} secret` };
    const provenance = { author: 'assistant', trust: 'agent', agent_id: 'agent' } as const;
    await manager.addMemory(SESSION, { id, type: 'finding', content, provenance });
  }
  const { transcripts } = await manager.layers();
  const count = text === 'bob' ? BOBS_MESSAGES : ADAS_MESSAGES;
  const messages = Array.from({ length: count }, (_, i) => ({
    id: `m${i}`,
    role: 'user' as const,
    content: `${text} secret number ${i}`,
  }));
  await transcripts.archive(SESSION, messages, { batchId: `${text}_batch` });
}

export interface Opened extends Scene {
  readonly other: MemoryManager;
  readonly inner: LogStore;
  /** Exchanges the session after so many looks. Whether that has come. */
  readonly exchangeAfter: (looks: number) => { readonly hasHappened: () => boolean };
}

export async function open(
  openStore: StoreOpener,
  { isWarm, next: nextOwner = 'bob' }: { readonly isWarm: boolean; readonly next?: string },
): Promise<Opened> {
  const inner = openStore();
  const { store, next } = interrupted(openStore(), LOOKING_OR_WRITING);
  const config = { summary: { enabled: true, threshold: 4, keep_last: 1 } };
  const [manager, other] = [
    new MemoryManager({ store, config }),
    new MemoryManager({ store: inner, config }),
  ];
  onTestFinished(async () => {
    await manager.close();
    await other.close();
  });
  await fill(other, 'ada', 'ada');
  await (await other.layers()).summaries.update(SESSION);
  const ada = manager.as({ account_id: 'local', user_id: 'ada' });
  const handle = await ada.conversation(SESSION);
  const scope = await ada.toolScope(SESSION);
  const tool: Scene['tool'] = (name, input) => TOOLS.find((each) => each.name === name)!.run(input, scope);
  if (isWarm) {
    await ada.queryMemories(SESSION, { text: 'secret' });
    await ada.messages(SESSION);
    await handle.window.read();
  }
  const exchangeAfter = (looks: number) => {
    next.after = looks;
    next.happen = async () => {
      await other.deleteSession(SESSION);
      await fill(other, nextOwner, nextOwner === 'ada' ? 'ada_again' : nextOwner);
    };
    return { hasHappened: () => next.happen === undefined };
  };
  return { ada, handle, tool, other, inner, exchangeAfter };
}

/** What a call comes to, as text: only that the session is not there is a failure that may come out of it. */
async function outcomeOf(call: Call, scene: Scene): Promise<string> {
  try {
    return JSON.stringify(await call(scene)) ?? '';
  } catch (error) {
    expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    return '';
  }
}

/** All that is stored of the session. */
async function bytesOfSession(store: LogStore): Promise<string> {
  let all = '';
  for await (const { place, bytes } of store.scan()) {
    if (place.includes(SESSION)) all += Buffer.from(bytes).toString('latin1');
  }
  return all;
}

/** Nothing of Ada's is in Bob's session, and all of his. */
export async function expectUntouched({ other, inner }: Opened): Promise<void> {
  expect(await bytesOfSession(inner)).not.toMatch(/ada secret|planted/);
  const bob = other.as({ account_id: 'local', user_id: 'bob' });
  const { window, transcript } = await bob.conversation(SESSION);
  expect(JSON.stringify(await window.read())).not.toMatch(/ada|planted/);
  const messages = await transcript.messages();
  expect(messages.map(({ content }) => content)).toEqual(
    Array.from({ length: BOBS_MESSAGES }, (_, i) => `bob secret number ${i}`),
  );
  expect((await bob.loadSession(SESSION)).agents).toEqual(['agent']);
  const memories = await bob.queryMemories(SESSION);
  expect(memories.map(({ content }) => content)).toEqual([{ text: 'bob secret' }, { text: 'bob secret' }]);
  expect(new Set(memories.map(({ importance }) => importance)).size).toBe(1);
}

/** Has the session change hands at each look that a call takes at the store, in turn, or at every few of them. */
export async function expectNothingShown(
  name: string,
  make: () => StoreOpener,
  { isWarm, stride = 1 }: { readonly isWarm: boolean; readonly stride?: number },
): Promise<void> {
  const call = { ...READS, ...HANDLE_READS, ...CHANGES, ...HANDLE_CHANGES }[name]!;
  const isRead = name in READS || name in HANDLE_READS;
  for (let looks = 0; looks < MOST_LOOKS; looks += stride) {
    const opened = await open(make(), { isWarm });
    const { hasHappened } = opened.exchangeAfter(looks);
    const outcome = await outcomeOf(call, opened);
    if (!hasHappened()) {
      if (isRead) expect(outcome).toContain('ada');
      return;
    }
    expect(outcome, `after ${looks} looks`).not.toContain('bob');
    await expectUntouched(opened);
  }
  throw new Error('There were more looks than expected.');
}

export const EVERY_CALL: readonly string[] = [READS, HANDLE_READS, CHANGES, HANDLE_CHANGES].flatMap(
  Object.keys,
);
