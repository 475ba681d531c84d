import { describe, expect, it } from 'vitest';
import { STORES } from '../test/open-stores.ts';
import { MemoryManager } from './memory-manager.ts';
import { ScopedMemory } from './scoped-memory.ts';
import { SessionMemory } from './session-memory.ts';

const SESSION = 'ada-chat';
const NOT_FOUND = /_NOT_FOUND$/;

/**
 * Every way into the memory, called by a user whom it does not belong to. The table must name every method: a
 * forgotten read path is how memories leak.
 */
type Call = (memory: ScopedMemory) => Promise<unknown>;
const FOREIGN: Readonly<Record<string, Call | 'own' | 'account'>> = {
  inTimeZone: 'own',
  asAgent: 'own',
  timeRangeOf: 'own',
  createSession: 'own',
  listSessions: 'own',
  loadSession: (memory) => memory.loadSession(SESSION),
  updateSession: (memory) => memory.updateSession(SESSION, { agents: ['spy'] }),
  closeSession: (memory) => memory.closeSession(SESSION),
  deleteSession: (memory) => memory.deleteSession(SESSION),
  remember: (memory) => memory.remember('planted', { sessionId: SESSION }),
  recall: 'own',
  context: (memory) => memory.context([{ role: 'user', content: 'secret?' }], { session: SESSION }),
  addMemory: (memory) => memory.addMemory(SESSION, { type: 'finding', content: { text: 'planted' } }),
  addMemories: (memory) => memory.addMemories(SESSION, [{ type: 'finding', content: { text: 'planted' } }]),
  keepMemories: (memory) => memory.keepMemories(SESSION, [{ type: 'finding', content: { text: 'planted' } }]),
  continuationsOf: 'own',
  getMemory: (memory) => memory.getMemory(SESSION, 'mem_1'),
  queryMemories: (memory) => memory.queryMemories(SESSION, { text: 'secret' }),
  pageMemories: (memory) => memory.pageMemories(SESSION, { text: 'secret', scope: 'user' }),
  similarMemories: (memory) => memory.similarMemories(SESSION, 'mem_1'),
  searchByTopic: (memory) => memory.searchByTopic(SESSION, 'topic'),
  searchByType: (memory) => memory.searchByType(SESSION, 'finding'),
  searchByTimeRange: (memory) => memory.searchByTimeRange(SESSION, '2020-01-01', '2030-01-01'),
  searchIndex: 'own',
  searchMessages: 'own',
  searchSessions: 'own',
  setImportance: (memory) => memory.setImportance(SESSION, 'mem_1', 1),
  updateMemory: (memory) => memory.updateMemory(SESSION, 'mem_1', { content: 'planted' }),
  deleteMemory: (memory) => memory.deleteMemory(SESSION, 'mem_1'),
  deleteMemoriesByTopic: (memory) => memory.deleteMemoriesByTopic(SESSION, 'topic'),
  deleteMemoriesByTimeRange: (memory) =>
    memory.deleteMemoriesByTimeRange(SESSION, '2020-01-01', '2030-01-01'),
  exportSession: (memory) => memory.exportSession(SESSION),
  compactSession: (memory) => memory.compactSession(SESSION),
  rebuildIndex: (memory) => memory.rebuildIndex(SESSION),
  getSessionStats: (memory) => memory.getSessionStats(SESSION),
  previewFading: (memory) => memory.previewFading(SESSION),
  archiveMessages: (memory) => memory.archiveMessages(SESSION, [{ role: 'user', content: 'planted' }]),
  messages: (memory) => memory.messages(SESSION),
  conversation: (memory) => memory.conversation(SESSION),
  agents: 'account',
  agent: (memory) => memory.agent('scout'),
  journalOf: (memory) => memory.journalOf('scout'),
  notesOf: (memory) => memory.notesOf('scout'),
  details: async (memory) => (await memory.details()).get('ada_log'),
  assembleContext: (memory) =>
    memory.assembleContext({ session: SESSION, messages: [{ role: 'user', content: 'secret?' }] }),
  toolScope: (memory) => memory.toolScope(SESSION),
  previewForgetting: (memory) => memory.previewForgetting({ user: 'ada' }),
  forget: (memory) => memory.forget({ session: SESSION }),
  exportUser: 'own',
  sessionOfDay: 'own',
  unreadableSessions: 'own',
  adoptSessions: 'own',
  continueUnreadable: (memory) => memory.continueUnreadable(SESSION),
  changedSessions: 'own',
  reviewList: 'own',
  storeDetail: (memory) => memory.storeDetail(SESSION, { content: 'planted' }),
  keepDetail: (memory) => memory.keepDetail(SESSION, { content: 'planted' }),
  search: (memory) => memory.search({ text: 'secret' }, SESSION),
  searchWithDetails: (memory) => memory.searchWithDetails({ text: 'secret' }, SESSION),
  captureToolOutput: (memory) => memory.captureToolOutput(SESSION, { output: 'planted '.repeat(5_000) }),
  redact: (memory) => memory.redact({ session: SESSION, memory: 'mem_1', text: 'secret' }),
  receipts: (memory) => memory.receipts(),
  verifyErased: (memory) => memory.verifyErased(['secret']),
};

describe.each(STORES)('a scoped memory on the %s store', (_name, open) => {
  async function setUp(): Promise<MemoryManager> {
    const manager = new MemoryManager({ store: open()() });
    await manager.createSession('ada', { session_id: SESSION, agents: ['scout'] });
    await manager.addMemory(SESSION, {
      id: 'mem_1',
      type: 'finding',
      content: { text: 'the secret' },
      tags: ['topic'],
    });
    const { agents, journal, notes, details, transcripts } = await manager.layers();
    await agents.ensure('scout');
    await agents.ensure('spy');
    await journal.save('scout', 'core', 'a secret of the scout');
    await notes.apply('ada', 'scout', { operation: 'overwrite', content: 'a secret about Ada' });
    await details.store(SESSION, { content: 'a secret log', key: 'ada_log' });
    await transcripts.archive(SESSION, [{ id: 'm1', role: 'user', content: 'a secret said' }]);
    return manager;
  }

  it('has a row for every method', () => {
    const methods = [ScopedMemory, SessionMemory]
      .flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
      .filter((name) => !['constructor', 'inZone', 'page'].includes(name));
    expect(Object.keys(FOREIGN).sort()).toEqual(methods.sort());
  });

  it.each(Object.entries(FOREIGN).filter(([, call]) => typeof call === 'function'))(
    '%s does not find what belongs to others, and changes nothing',
    async (_method, call) => {
      const manager = await setUp();
      const before = await manager.exportSession(SESSION, 'jsonl');
      const stranger = manager.as({ account_id: 'local', user_id: 'bob', agent_id: 'spy' });
      const answer = (call as Call)(stranger);
      await expect(answer).rejects.toMatchObject({ code: expect.stringMatching(NOT_FOUND) as string });
      expect(await manager.exportSession(SESSION, 'jsonl')).toBe(before);
      await manager.close();
    },
  );

  it('keeps memories and details in the next session when one is full', async () => {
    const config = {
      storage: { max_session_size_mb: 0.01, auto_compact: false },
      details: { quota_mb: 0.01 },
    };
    const manager = new MemoryManager({ store: open()(), config });
    const memory = manager.as({ account_id: 'local', user_id: 'ada' });
    await memory.createSession({ session_id: SESSION });
    const some = Array.from({ length: 10 }, (_, i) => ({ type: 'finding' as const, content: `number ${i}` }));
    const places = new Set<string>();
    for (let i = 0; i < 6; i++) places.add(await memory.keepMemories(SESSION, some));
    const others = (await memory.continuationsOf(SESSION)).map(({ id }) => id);
    expect([...places].sort()).toEqual([SESSION, ...others].sort());
    expect(others.length).toBeGreaterThan(0);
    // More than any session has room for.
    const many = Array.from({ length: 100 }, () => some[0]!);
    await expect(memory.keepMemories(SESSION, many)).rejects.toMatchObject({ code: 'SESSION_FULL' });

    const content = [Buffer.alloc(7_000, 'x')];
    const origins = {
      created_at: '2025-01-01T00:00:00.000Z',
      is_active: false,
      summary_method: 'extractive',
    };
    await memory.keepDetail(SESSION, { content });
    const detail = await memory.keepDetail(SESSION, { content, description: 'long', origins });
    expect(detail).toMatchObject(origins);
    expect(detail.session_id).not.toBe(SESSION);
    const odd = { is_active: 'no' } as never;
    await expect(memory.keepDetail(SESSION, { content, origins: odd })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await manager.close();
  });

  it('takes no scope on trust that stands beside its own', async () => {
    const manager = await setUp();
    const bob = manager.as({ account_id: 'local', user_id: 'bob' });
    await bob.createSession({ session_id: 'bob-chat' });
    const { notes } = await manager.layers();
    const mixed = { session: 'bob-chat', user: 'ada', agent: 'scout', text: 'secret' };
    await expect(bob.redact(mixed)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    const odd = { session: 'bob-chat', agent: 'scout', text: 'secret' } as never;
    await expect(bob.redact(odd)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(
      bob.redact({ session: 'bob-chat', memory: 'm', text: '', extra: '' } as never),
    ).rejects.toThrow('nothing else');
    expect((await notes.read('ada', 'scout')).text).toContain('a secret about Ada');
    await manager.close();
  });

  it('hands out the conversation of one session, and no way to another', async () => {
    const manager = await setUp();
    await manager.createSession('bob', { session_id: 'bob-chat' });
    const { transcripts } = await manager.layers();
    await transcripts.archive('bob-chat', [{ id: 'm2', role: 'user', content: 'said by Bob' }]);
    const conversation = await manager.as({ account_id: 'local', user_id: 'ada' }).conversation(SESSION);
    expect(Object.keys(conversation).sort()).toEqual(['summary', 'transcript', 'window']);
    expect(await conversation.transcript.messages()).toMatchObject([{ id: 'm1' }]);
    expect(await conversation.window.read()).toMatchObject([{ id: 'm1' }]);
    expect(await conversation.summary.current()).toBeUndefined();
    // The scope is bound: another session's id is taken for an option, and refused.
    const named = conversation.transcript.latest as unknown as (...args: unknown[]) => Promise<unknown[]>;
    expect(JSON.stringify(await named('bob-chat', 5).catch(() => []))).not.toContain('Bob');
    await manager.close();
  });

  it('keeps an agent from what other agents know of its user', async () => {
    const manager = await setUp();
    const spy = manager.as({ account_id: 'local', user_id: 'ada', agent_id: 'spy' });
    await expect(spy.exportUser().next()).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    const whole = [{ user: 'ada' }, { user: 'ada', timeRange: { start: '2020-01-01', end: '2100-01-01' } }];
    for (const request of whole) {
      await expect(spy.forget(request)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
      await expect(spy.previewForgetting(request)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    }
    const { notes } = await manager.layers();
    expect((await notes.read('ada', 'scout')).text).toContain('a secret about Ada');
    // Memories of the user are shared by the agents of the session.
    expect((await spy.forget({ user: 'ada', ids: ['mem_1'] })).pieces).toMatchObject({ memories: 1 });
    await manager.close();
  });

  it('loses a session whose id another process has given to another user', async () => {
    const opener = open();
    const [manager, other] = [new MemoryManager({ store: opener() }), new MemoryManager({ store: opener() })];
    await manager.createSession('ada', { session_id: SESSION });
    await manager.addMemory(SESSION, { id: 'mem_1', type: 'finding', content: { text: 'of Ada' } });
    const ada = manager.as({ account_id: 'local', user_id: 'ada' });
    expect((await ada.getMemory(SESSION, 'mem_1'))?.content).toEqual({ text: 'of Ada' });
    await other.deleteSession(SESSION);
    await other.createSession('bob', { session_id: SESSION });
    await other.addMemory(SESSION, { id: 'mem_1', type: 'finding', content: { text: 'of Bob' } });
    await expect(ada.getMemory(SESSION, 'mem_1')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const bob = manager.as({ account_id: 'local', user_id: 'bob' });
    expect((await bob.getMemory(SESSION, 'mem_1'))?.content).toEqual({ text: 'of Bob' });
    await manager.close();
    await other.close();
  });

  it('is not there for another account', async () => {
    const manager = await setUp();
    expect(() => manager.as({ account_id: 'elsewhere', user_id: 'ada' })).toThrow('that account');
    await manager.close();
  });

  it('lists, finds and exports only its own', async () => {
    const manager = await setUp();
    const bob = manager.as({ account_id: 'local', user_id: 'bob' });
    const own = await bob.createSession({ session_id: 'bob-chat' });
    await bob.addMemory('bob-chat', { type: 'finding', content: { text: 'a secret of Bob' } });
    expect(await bob.listSessions()).toEqual([own]);
    expect((await bob.searchSessions('secret')).map(({ session_id }) => session_id)).toEqual(['bob-chat']);
    expect((await bob.queryMemories('bob-chat', { text: 'secret', scope: 'user' })).length).toBe(1);
    expect((await bob.search({ text: 'secret' })).memories.length).toBe(1);
    expect((await bob.changedSessions()).sessionIds).not.toContain(SESSION);
    let text = '';
    for await (const line of bob.exportUser()) text += line;
    expect(text).toContain('a secret of Bob');
    expect(text).not.toContain('ada');
    await manager.close();
  });

  it('searches all sessions of a user, and finds nothing where there is none', async () => {
    const opener = open();
    const [manager, other] = [new MemoryManager({ store: opener() }), new MemoryManager({ store: opener() })];
    const ada = manager.as({ account_id: 'local', user_id: 'ada' });
    const found = async (): Promise<unknown[]> =>
      (await ada.search({ text: 'secret', sortBy: 'time' })).memories.map(({ id }) => id);
    expect(await found()).toEqual([]);
    for (const id of ['a', 'b']) {
      await other.createSession('ada', { session_id: id });
      await other.addMemory(id, { id: `mem_${id}`, type: 'finding', content: { text: `secret of ${id}` } });
    }
    expect((await found()).sort()).toEqual(['mem_a', 'mem_b']);
    const later = { text: 'secret', asOf: '2100-01-01' };
    expect((await manager.pageMemoriesOfUser('ada', later)).memories.length).toBe(2);
    await other.deleteSession('a');
    expect(await found()).toEqual(['mem_b']);
    await other.deleteSession('b');
    await other.createSession('bob', { session_id: 'b' });
    await other.addMemory('b', { id: 'mem_c', type: 'finding', content: { text: 'a secret of Bob' } });
    expect(await found()).toEqual([]);
    await expect(manager.pageMemoriesOfUser('', {})).rejects.toMatchObject({ name: 'ValidationError' });
    await manager.close();
    await other.close();
  });

  it('refuses a scope that the principal does not name', async () => {
    const manager = await setUp();
    const userless = manager.as({ account_id: 'local' });
    for (const call of [
      () => userless.loadSession(SESSION),
      () => userless.listSessions(),
      () => userless.searchSessions('secret'),
      () => userless.details(),
      () => userless.notesOf('scout'),
      () => userless.forget({ user: 'ada' }),
    ]) {
      await expect((async () => call())()).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    }
    await manager.close();
  });

  it('lets an agent reach its own private memory only, and an account all of them', async () => {
    const manager = await setUp();
    const spy = manager.as({ account_id: 'local', user_id: 'ada', agent_id: 'spy' });
    await (await spy.journalOf('spy')).save('journal', 'seen nothing');
    await expect(spy.journalOf('scout')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(spy.agents()).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    const request = { session: SESSION, agent: 'scout', messages: [] };
    await expect(spy.assembleContext(request)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    const account = manager.as({ account_id: 'local' });
    const names = (await (await account.agents()).list()).map(({ name }) => name);
    expect(names).toEqual(['scout', 'spy']);
    expect(await (await account.journalOf('scout')).memoryContext(Date.now())).toContain(
      'a secret of the scout',
    );
    await manager.close();
  });
});
