import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newRoot, notingCalls } from '../../../test/open-stores.ts';
import { MemoryManager, MemoryStore, type NewMemory } from '../../index.ts';
import { SynonymEmbedder } from '../../testing/synonym-embedder.ts';

const ADA = { account_id: 'local', user_id: 'ada' };
/** 0.02 MB. */
const LIMIT = 20_971;
const finding = (length: number): NewMemory => ({ type: 'finding', content: { text: 'x'.repeat(length) } });

/** What a writer leaves that is killed inside a write. */
function tear(root: string, sessionId: string, length: number): void {
  const torn = `{"schema_version":1,"id":"mem_torn","content":{"text":"${'y'.repeat(length)}`;
  appendFileSync(join(root, 'sessions', sessionId, 'memory.jsonl'), torn);
}

function open(root: string, auto_compact: boolean): MemoryManager {
  const config = { storage: { max_session_size_mb: 0.02, auto_compact } };
  return new MemoryManager({ storageRoot: root, config });
}

describe('a session that holds no memory and has no room for one', () => {
  test('rolls over to the next one when a torn write takes the room, and so does that one', async () => {
    const root = newRoot();
    await using manager = open(root, false);
    const memory = manager.as(ADA);
    await memory.createSession({ session_id: 'chat' });
    tear(root, 'chat', LIMIT * 0.4);
    expect(await memory.keepMemories('chat', [finding(LIMIT * 0.6)])).toBe('chat--2');
    await memory.deleteSession('chat--2');
    await memory.createSession({ session_id: 'chat--2' });
    tear(root, 'chat--2', LIMIT * 0.4);
    expect(await memory.keepMemories('chat', [finding(LIMIT * 0.6)])).toBe('chat--3');
    expect(await memory.keepMemories('chat', [finding(100)])).toBe('chat--3');
  });

  test('rolls over to the next one when what was deleted takes the room', async () => {
    await using manager = open(newRoot(), false);
    const memory = manager.as(ADA);
    await memory.createSession({ session_id: 'chat' });
    const id = await memory.addMemory('chat', finding(LIMIT * 0.4));
    await memory.deleteMemory('chat', id);
    expect(await memory.keepMemories('chat', [finding(LIMIT * 0.6)])).toBe('chat--2');
  });

  test('does not roll over for what a new one has no room for either', async () => {
    await using manager = open(newRoot(), false);
    const memory = manager.as(ADA);
    await memory.createSession({ session_id: 'chat', preferences: { custom: { text: 'z'.repeat(4_000) } } });
    await memory.addMemory('chat', finding(100));
    const adding = memory.keepMemories('chat', [finding(LIMIT * 0.9)]);
    await expect(adding).rejects.toMatchObject({ code: 'SESSION_FULL' });
    expect(await memory.listSessions()).toHaveLength(1);
  });

  test('rolls over once at most, however near to the limit a memory is', async () => {
    for (let length = LIMIT * 0.965; length < LIMIT * 0.985; length += 7) {
      await using manager = open(newRoot(), false);
      const memory = manager.as(ADA);
      await memory.createSession({ session_id: 'chat' });
      await memory.addMemory('chat', finding(3_000));
      await memory.keepMemories('chat', [finding(length)]).catch(() => undefined);
      expect((await memory.listSessions()).length).toBeLessThanOrEqual(2);
    }
  });

  test('takes a memory once the torn write is set aside', async () => {
    const root = newRoot();
    await using manager = open(root, true);
    const memory = manager.as(ADA);
    await memory.createSession({ session_id: 'chat' });
    tear(root, 'chat', LIMIT * 0.4);
    const id = await memory.addMemory('chat', finding(LIMIT * 0.6));
    expect(await memory.getMemory('chat', id)).toMatchObject({ id });
    // It was never acknowledged, and it is not thrown away either.
    expect(readdirSync(join(root, 'sessions', 'chat', 'corrupt'))).toHaveLength(1);
  });
});

describe('a memory by its id', () => {
  test('is read in its own session, without a look into the others', async () => {
    const { store, reads } = notingCalls(new MemoryStore());
    await using manager = new MemoryManager({ store });
    const ids: string[] = [];
    for (let i = 100; i < 150; i++) {
      await manager.createSession('ada', { session_id: `s${i}` });
      ids.push(await manager.addMemory(`s${i}`, finding(100)));
    }
    const { userMemories } = await manager.layers();
    await manager.recall('ada', 'x');
    reads.length = 0;
    expect(await userMemories.get('ada', ids[0]!)).toMatchObject({ id: ids[0], session_id: 's100' });
    // Its log, looked at and read, and one of those that are looked at in turns.
    expect(reads.flat().length).toBeLessThan(10);
  });

  test('is another user’s, or none', async () => {
    await using manager = new MemoryManager({ store: new MemoryStore() });
    const { id } = await manager.remember('ada', 'The car is red.');
    const { userMemories } = await manager.layers();
    expect(await userMemories.get('bob', id)).toBeUndefined();
    expect(await userMemories.get('ada', 'mem_none')).toBeUndefined();
  });

  test('gets a vector of what it says after an update, without a query', async () => {
    const made: string[] = [];
    const before = (texts: readonly string[]) => void made.push(texts.join(' '));
    const embedder = new SynonymEmbedder({ synonyms: [['dog', 'hound']], before });
    await using manager = new MemoryManager({ store: new MemoryStore(), embedder });
    const { id } = await manager.remember('ada', 'The car is red.');
    const { userMemories } = await manager.layers();
    const memory = (await userMemories.get('ada', id))!;
    await expect.poll(() => made.join(' ')).toContain('The car is red.');
    await userMemories.update('ada', memory, { content: { text: 'The dog is brown.' } });
    await expect.poll(() => made.join(' ')).toContain('The dog is brown.');
  });
});
