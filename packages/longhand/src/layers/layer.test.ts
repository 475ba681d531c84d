import { expect, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../index.ts';
import type { Erasure, Layer, Piece } from './layer.ts';
import type { StoreCopy } from './store-copy.ts';
import type { StoreScope } from './verification.ts';

/** A layer that no room of the library knows: bookmarks, kept by session outside the store. */
class Bookmarks implements Layer {
  readonly name = 'bookmarks';
  readonly #kept = new Map<string, Piece[]>();

  add(sessionId: string, id: string, messageId?: string): void {
    const piece: Piece = {
      ...{ id, timestamp: '2026-01-01T00:00:00.000Z', tags: ['reading'], takesSource: false },
      ...{ agentId: undefined, provenance: undefined },
      source: messageId === undefined ? undefined : { id: messageId },
    };
    this.#kept.set(sessionId, [...(this.#kept.get(sessionId) ?? []), piece]);
  }

  idsIn(sessionId: string): readonly string[] {
    return (this.#kept.get(sessionId) ?? []).map(({ id }) => id);
  }

  async export({ sessionId = '' }) {
    return this.idsIn(sessionId).map((id) => ({ kind: 'bookmark', id }));
  }

  verify: NonNullable<Layer['verify']> = async ({ kind, id }, { damage }) => {
    if (kind === 'session' && this.idsIn(id).includes('torn'))
      damage.push({ place: `bookmarks of ${id}`, offset: 0, kind: 'torn' });
  };

  async copy({ kind, id }: StoreScope, copy: StoreCopy): Promise<void> {
    if (kind === 'user') await copy.document(undefined, 'bookmarks.json', id);
  }

  async pieces(sessionId: string) {
    return this.#kept.get(sessionId) ?? [];
  }

  async erase(erasure: Erasure): Promise<void> {
    if (erasure.kind === 'session') this.#kept.delete(erasure.sessionId);
    if (erasure.kind !== 'pieces') return;
    const { sessionId, pieces } = erasure;
    const left = (this.#kept.get(sessionId) ?? []).filter(({ id }) => !pieces[this.name]!.includes(id));
    this.#kept.set(sessionId, left);
  }
}

async function withBookmarks() {
  const store = new MemoryStore();
  const manager = new MemoryManager({ store });
  const layers = await manager.layers();
  const bookmarks = new Bookmarks();
  layers.all.unshift(bookmarks);
  for (const session_id of ['one', 'two']) await manager.createSession('ada', { session_id });
  return { store, manager, layers, bookmarks };
}

test('a layer that is put into the list is exported, checked and erased with the others', async () => {
  const { manager, layers, bookmarks } = await withBookmarks();
  await layers.transcripts.archive('one', [{ id: 'm1', role: 'user', content: 'Look at this page.' }]);
  bookmarks.add('one', 'a');
  bookmarks.add('one', 'b', 'm1');
  bookmarks.add('two', 'torn');

  const lines: string[] = [];
  for await (const line of layers.privacy.exportUser('ada')) lines.push(line);
  const exported = lines.filter((line) => line.includes('"kind":"bookmark"'));
  expect(exported.map((line) => JSON.parse(line).id)).toEqual(['a', 'b', 'torn']);

  expect((await manager.verify()).damage).toEqual([{ place: 'bookmarks of two', offset: 0, kind: 'torn' }]);

  // A bookmark that was taken from a message goes with it.
  await layers.privacy.forget({ user: 'ada', ids: ['m1'] });
  expect(bookmarks.idsIn('one')).toEqual(['a']);
  expect((await layers.privacy.forget({ session: 'one', ids: ['a', 'x'] })).not_found).toEqual(['x']);
  expect(bookmarks.idsIn('one')).toEqual([]);
  await layers.privacy.forget({ user: 'ada' });
  expect(bookmarks.idsIn('two')).toEqual([]);
  await manager.close();
});

test('a layer that is put into the list is asked for its pieces by topic', async () => {
  const { manager, layers, bookmarks } = await withBookmarks();
  bookmarks.add('two', 'a');
  await layers.privacy.forget({ user: 'ada', topic: 'reading' });
  expect(bookmarks.idsIn('two')).toEqual([]);
  await manager.close();
});

test('a layer that is put into the list is copied with the others', async () => {
  const { store, manager, layers } = await withBookmarks();
  await layers.notes.apply('ada', 'scout', { operation: 'append', content: 'Likes tea.' });
  await store.writeDocument(undefined, 'bookmarks.json', '["a page"]');
  const target = new MemoryStore();
  expect(await layers.copyTo(target)).toMatchObject({ sessions: 2, notes: 1, changed: [] });
  expect(await target.readDocument(undefined, 'bookmarks.json')).toBe('["a page"]');
  await manager.close();
});
