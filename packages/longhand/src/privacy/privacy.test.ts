import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedStore, openStores } from '../../test/open-stores.ts';
import { MemoryManager } from '../memory-manager.ts';
import type { Rooms } from '../rooms.ts';
import { FakeClock } from '../testing/index.ts';
import { isSubject } from './receipts.ts';

/** A word that no file may hold once it is forgotten, and what is left of it when words become stems. */
const CANARY = 'xylophonecanary';
const STEM = 'xylophonecanar';
const NOW = Date.parse('2026-03-02T10:00:00Z');
const DAY = 86_400_000;

const opened: OpenedStore[] = [];
afterEach(async () => {
  for (const { dispose } of opened.splice(0)) await dispose();
});

describe.each(openStores)('privacy on the %s store', (_name, open) => {
  interface Scene {
    readonly manager: MemoryManager;
    readonly rooms: Rooms;
    readonly clock: FakeClock;
  }

  /** Two users with something in every layer; Ada's holds the canary, Bob's does not. */
  async function setUp(): Promise<Scene> {
    const store = open();
    opened.push(store);
    const clock = new FakeClock(NOW);
    const config = { summary: { enabled: true, threshold: 4, keep_last: 2 } };
    const manager = new MemoryManager({ store: store.store, clock, config });
    const rooms = await manager.layers();
    for (const [user, word] of [
      ['ada', CANARY],
      ['bob', 'harmless'],
    ] as const) {
      const session = `${user}-chat`;
      await manager.createSession(user, { session_id: session, agents: ['scout'] });
      await rooms.agents.ensure('scout');
      await manager.addMemories(session, [
        { id: `mem_${user}1`, type: 'finding', content: { text: `${word} one` }, tags: ['secret.stuff'] },
        { id: `mem_${user}2`, type: 'decision', content: { text: `kept by ${user}` } },
      ]);
      await rooms.transcripts.archive(session, messagesAbout(user, word));
      await rooms.summaries.update(session);
      await rooms.windows.read(session);
      await rooms.notes.apply(user, 'scout', {
        operation: 'overwrite',
        content: `# About\n\nlikes ${word}\n`,
      });
      await rooms.notes.apply(user, 'scout', { operation: 'append', content: 'plain line\n' });
      await rooms.details.store(session, { content: `${word}\n`.repeat(100), description: `log of ${word}` });
      await manager.queryMemories(session, { text: word });
      await manager.rebuildIndex(session);
    }
    return { manager, rooms, clock };
  }

  const messagesAbout = (user: string, word: string) =>
    Array.from({ length: 8 }, (_, i) => ({
      id: `${user}_m${i}`,
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: i === 1 ? `I decided on the ${word} at 10:30 on Tuesday` : `Message number ${i} of ${user}`,
      timestamp: new Date(NOW - DAY + i * 60_000).toISOString(),
    }));

  async function expectErased({ manager, rooms }: Scene): Promise<void> {
    const check = await rooms.privacy.verifyErased([STEM]);
    expect(check.found).toEqual([]);
    expect(check.isErased).toBe(true);
    expect(check.bytesScanned).toBeGreaterThan(0);
    await manager.close();
  }

  it('finds the canary everywhere before, so that not finding it means something', async () => {
    const { manager, rooms } = await setUp();
    const { isErased, found } = await rooms.privacy.verifyErased([CANARY.toUpperCase()]);
    expect(isErased).toBe(false);
    expect(new Set(found.map(({ place }) => place)).size).toBeGreaterThanOrEqual(4);
    await manager.close();
  });

  it('forgets a user: no byte is left, nobody else loses anything', async () => {
    const scene = await setUp();
    const { manager, rooms } = scene;
    const before = await manager.exportSession('bob-chat', 'jsonl');
    const preview = await rooms.privacy.preview({ user: 'ada' });
    expect(preview).toEqual({ sessions: 1, memories: 2, messages: 8, details: 1, notes: 1, agents: 0 });
    const receipt = await rooms.privacy.forget({ user: 'ada' });
    expect(receipt.pieces).toEqual(preview);
    expect(isSubject(receipt, 'ada')).toBe(true);
    expect(JSON.stringify(receipt)).not.toContain('ada');
    expect(await rooms.privacy.receipts()).toEqual([receipt]);
    expect(await manager.listSessions('ada')).toEqual([]);
    expect(await manager.exportSession('bob-chat', 'jsonl')).toBe(before);
    expect((await rooms.notes.read('bob', 'scout')).text).toContain('harmless');
    expect(await rooms.transcripts.count('bob-chat')).toBe(8);
    expect((await rooms.privacy.verifyErased(['ada-chat'])).isErased).toBe(true);
    await expectErased(scene);
  });

  it('forgets a session with everything in it', async () => {
    const scene = await setUp();
    await scene.rooms.privacy.forget({ session: 'ada-chat' });
    expect(await scene.manager.listSessions('ada')).toEqual([]);
    await scene.rooms.notes.forget('ada', 'scout');
    await expectErased(scene);
  });

  it('forgets by ids, and the message that a memory was taken from', async () => {
    const scene = await setUp();
    const { manager, rooms } = scene;
    await manager.addMemory('ada-chat', {
      type: 'decision',
      id: 'mem_taken',
      content: { text: `${CANARY} at 10:30` },
      provenance: { author: 'assistant', message_id: 'ada_m1' },
    });
    const [detail] = await rooms.details.listOfSession('ada-chat');
    const request = { user: 'ada', ids: ['mem_taken', 'mem_ada1', detail!.memory_key] };
    expect(await rooms.privacy.preview(request)).toMatchObject({ memories: 2, messages: 1, details: 1 });
    await rooms.privacy.forget(request);
    expect(await manager.getMemory('ada-chat', 'mem_ada2')).not.toBeNull();
    expect(await rooms.transcripts.count('ada-chat')).toBe(7);
    const summary = await rooms.summaries.current('ada-chat');
    expect(summary?.text).not.toContain(CANARY);
    await rooms.privacy.redact({ user: 'ada', agent: 'scout', text: CANARY });
    expect((await rooms.notes.read('ada', 'scout')).text).toContain('plain line');
    await expectErased(scene);
  });

  it('forgets by topic, and says nothing of the topic afterwards', async () => {
    const scene = await setUp();
    const { manager, rooms } = scene;
    const receipt = await rooms.privacy.forget({ user: 'ada', topic: 'secret' });
    expect(receipt.pieces.memories).toBe(1);
    expect(await manager.queryMemories('ada-chat', { tags: { include: ['secret'] } })).toEqual([]);
    expect(await manager.queryMemories('bob-chat', { tags: { include: ['secret'] } })).toHaveLength(1);
    await manager.close();
  });

  it('forgets a time: memories, messages, details and lines of notes from then', async () => {
    const scene = await setUp();
    const { manager, rooms, clock } = scene;
    clock.advance(DAY);
    await rooms.notes.apply('ada', 'scout', { operation: 'append', content: 'written later\n' });
    await manager.addMemory('ada-chat', { type: 'finding', content: { text: 'learned later' } });
    await rooms.privacy.forget({
      user: 'ada',
      timeRange: { start: new Date(NOW - 2 * DAY), end: new Date(NOW + 60_000) },
    });
    expect(await rooms.transcripts.count('ada-chat')).toBe(0);
    expect((await manager.queryMemories('ada-chat')).map(({ content }) => content.text)).toEqual([
      'learned later',
    ]);
    expect((await rooms.notes.read('ada', 'scout')).text.trim()).toBe('written later');
    await expectErased(scene);
  });

  it('forgets an agent: journal, core, notes, and what it wrote', async () => {
    const { manager, rooms } = await setUp();
    await rooms.agents.ensure('spy');
    await rooms.journal.save('spy', 'core', `I know the zanzibarword`);
    await rooms.notes.apply('bob', 'spy', { operation: 'overwrite', content: 'zanzibarword' });
    await manager.addMemory('bob-chat', {
      type: 'finding',
      content: { text: 'zanzibarword' },
      provenance: { author: 'assistant', agent_id: 'spy' },
    });
    expect(await rooms.privacy.preview({ agent: 'spy' })).toMatchObject({ agents: 1, notes: 1, memories: 1 });
    await rooms.privacy.forget({ agent: 'spy' });
    expect((await rooms.privacy.verifyErased(['zanzibar'])).found).toEqual([]);
    expect((await rooms.notes.read('bob', 'scout')).text).toContain('harmless');
    await manager.close();
  });

  it('redacts a text in a memory and in a message, and leaves the rest', async () => {
    const scene = await setUp();
    const { manager, rooms } = scene;
    expect(await rooms.privacy.redact({ session: 'ada-chat', memory: 'mem_ada1', text: CANARY })).toBe(1);
    expect((await manager.getMemory('ada-chat', 'mem_ada1'))?.content).toEqual({ text: '[redacted] one' });
    expect(await rooms.privacy.redact({ session: 'ada-chat', message: 'ada_m1', text: CANARY })).toBe(1);
    const messages = await rooms.transcripts.messages('ada-chat');
    expect(messages[1]!.content).toBe('I decided on the [redacted] at 10:30 on Tuesday');
    expect(await manager.queryMemories('ada-chat', { text: CANARY })).toEqual([]);
    await rooms.privacy.redact({ user: 'ada', agent: 'scout', text: CANARY });
    await rooms.details.forget('ada-chat', 'all');
    await expectErased(scene);
  });

  it('exports everything about a user, and nothing about others', async () => {
    const { manager, rooms } = await setUp();
    const lines: { kind: string }[] = [];
    let text = '';
    for await (const line of rooms.privacy.exportUser('ada')) {
      text += line;
      lines.push(JSON.parse(line) as { kind: string });
    }
    const kinds = new Set(lines.map(({ kind }) => kind));
    for (const kind of [
      'export',
      'session',
      'memory',
      'message',
      'summary',
      'detail',
      'detail_content',
      'notes',
    ]) {
      expect(kinds, kind).toContain(kind);
    }
    expect(lines.filter(({ kind }) => kind === 'memory')).toHaveLength(2);
    expect(lines.filter(({ kind }) => kind === 'message')).toHaveLength(8);
    expect(text).not.toContain('bob');
    await manager.close();
  });

  it('refuses requests that could mean too much', async () => {
    const { manager, rooms } = await setUp();
    const { privacy } = rooms;
    await expect(privacy.forget({})).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    await expect(privacy.forget({ user: 'ada', session: 'ada-chat' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(privacy.forget({ user: 'ada', ids: [] })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(privacy.forget({ agent: 'scout', topic: 'secret' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    const reversed = { start: new Date(NOW), end: new Date(NOW - 1) };
    await expect(privacy.forget({ user: 'ada', timeRange: reversed })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(privacy.verifyErased(['ab'])).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect((await privacy.preview({ user: 'nobody' })).sessions).toBe(0);
    expect((await privacy.preview({ session: 'never-there' })).sessions).toBe(0);
    await manager.close();
  });
});
