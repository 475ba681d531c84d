import { expect, test } from 'vitest';
import { openDetails } from '../../../test/open-details.ts';
import { openFiles } from '../../../test/open-stores.ts';

const linesOf = (word: string): string =>
  Array.from({ length: 20_000 }, (_, i) => `${i} ${word} of the build\n`).join('');

test('a large value is read into memory that is used again, for all pages and searches', async () => {
  const store = openFiles();
  const { details, sessions } = openDetails(store);
  await sessions.create('ada', { session_id: 'chat' });
  const content = linesOf('step');
  const { memory_key } = await details.store('chat', { content });
  const openBlob = store.openBlob.bind(store);
  const used = new Set<ArrayBufferLike>();
  store.openBlob = async (sessionId, name) => {
    const blob = (await openBlob(sessionId, name))!;
    const read: typeof blob.read = async (offset, length, into) => {
      const bytes = await blob.read(offset, length, into);
      used.add(bytes.buffer);
      return bytes;
    };
    return { size: blob.size, read, close: () => blob.close() };
  };
  let whole = '';
  for (let page = 1, pages = 1; page <= pages; page++) {
    const read = await details.retrieve('ada', memory_key, { page });
    whole += read.content;
    pages = read.total_pages!;
  }
  expect(whole).toBe(content);
  expect((await details.retrieve('ada', memory_key, { search: '19999 step' })).total_matches).toBe(1);
  expect(used.size).toBe(1);
});

test('readings at the same time disturb neither each other nor pieces that were kept', async () => {
  const { details, sessions } = openDetails(openFiles());
  await sessions.create('ada', { session_id: 'chat' });
  const words = ['step', 'phase', 'stage'];
  const contents = words.map(linesOf);
  const keys: string[] = [];
  for (const content of contents) keys.push((await details.store('chat', { content })).memory_key);
  const reading = async (each: number): Promise<void> => {
    const key = keys[each]!;
    const kept: Uint8Array[] = [];
    for await (const piece of details.stream('ada', key)) {
      kept.push(piece);
      const { content } = await details.retrieve('ada', key, { page: kept.length, pageSize: 50_000 });
      expect(contents[each]).toContain(content);
    }
    expect(Buffer.concat(kept).toString()).toBe(contents[each]);
    const { total_matches } = await details.retrieve('ada', key, { search: words[each]! });
    expect(total_matches).toBe(20_000);
  };
  await Promise.all([0, 1, 2, 0, 1, 2].map(reading));
});
