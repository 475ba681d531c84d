import { describe, expect, onTestFinished, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

/** Texts and questions that a table of English words has nothing to say about, with the table that is published. */
async function open(): Promise<MemoryManager> {
  const manager = new MemoryManager({ store: new MemoryStore(), clock: new FakeClock() });
  onTestFinished(() => manager.close());
  await manager.createSession('ada', { session_id: 'one' });
  return manager;
}

async function ids(manager: MemoryManager, text: string): Promise<readonly string[]> {
  return (await manager.queryMemories('one', { text })).map(({ id }) => id);
}

describe('a text', () => {
  test('of a megabyte without spaces is kept, found by what begins it, and in the way of nothing else', async () => {
    const manager = await open();
    const long = { text: `concert ${'qx7'.repeat(333_000)}` };
    await manager.addMemory('one', { id: 'mem_long', type: 'finding', content: long });
    await manager.addMemory('one', { id: 'mem_boat', type: 'finding', content: { text: 'A boat at sea' } });
    expect(await ids(manager, 'concert')).toContain('mem_long');
    expect(await ids(manager, 'ship')).toEqual(['mem_boat']);
    const { details } = await manager.layers();
    await details.store('one', { key: 'blob', content: 'qx7'.repeat(400_000), description: 'one line' });
    await details.store('one', { key: 'log', content: 'A walrus', description: 'a log' });
    expect((await details.search('ada', 'walrus')).map(({ memory_key }) => memory_key)).toEqual(['log']);
  });

  test.each([
    ['Russian', 'Мой автомобиль красный', 'автомобиль'],
    ['Japanese', '東京に住んでいます', '東京'],
    ['Arabic', 'أحب القهوة السوداء', 'القهوة'],
    ['Greek', 'Η θάλασσα είναι ήρεμη', 'θάλασσα'],
    ['Thai', 'ฉันชอบชาเขียว', 'ชาเขียว'],
    ['emoji', 'party 🎉', '🎉 party'],
  ])('in %s, which has no vectors, is found by its words', async (_, text, asked) => {
    const manager = await open();
    await manager.addMemory('one', { id: 'mem_car', type: 'finding', content: { text: 'The car is red' } });
    await manager.addMemory('one', { id: 'mem_there', type: 'finding', content: { text } });
    expect(await ids(manager, asked)).toEqual(['mem_there']);
  });
});

describe('a question', () => {
  const QUESTIONS: Readonly<Record<string, readonly [string, number | 'INVALID_QUERY']>> = {
    'of stopwords alone': ['what is the', 0],
    'of wildcards alone': ['** ?? ***', 0],
    'of signs alone': ['?!', 0],
    'of ten thousand words': [`${'word '.repeat(9_999)}invoice`, 1],
    'of ten thousand different words': [
      `${Array.from({ length: 9_999 }, (_, i) => `w${i}x`).join(' ')} invoice`,
      1,
    ],
    'of one word of a hundred thousand letters': ['x'.repeat(100_000), 0],
    'of a thousand wildcards': [Array.from({ length: 1_000 }, (_, i) => `w${i}*`).join(' '), 'INVALID_QUERY'],
    'of a megabyte': ['x'.repeat(1_048_576), 'INVALID_QUERY'],
  };

  test.each(Object.entries(QUESTIONS))('%s has an answer in every layer', async (_, [text, expected]) => {
    const manager = await open();
    const { agents, journal, notes, details } = await manager.layers();
    const content = 'Every invoice was paid.';
    await manager.addMemory('one', { type: 'finding', content: { text: content } });
    await agents.ensure('scout');
    await journal.save('scout', 'core', content);
    await notes.apply('ada', 'scout', { operation: 'overwrite', content: `# Money\n${content}\n` });
    await details.store('one', { content, description: 'A letter' });
    for (const search of [
      () => manager.queryMemories('one', { text }),
      () => journal.search('scout', text),
      () => notes.search('ada', 'scout', text),
      () => details.search('ada', text),
    ]) {
      if (expected === 'INVALID_QUERY') await expect(search()).rejects.toMatchObject({ code: expected });
      else expect(await search()).toHaveLength(expected);
    }
  });

  test('without a word is refused where there is a list to ask for', async () => {
    const manager = await open();
    const { agents, journal, notes, details } = await manager.layers();
    await agents.ensure('scout');
    await journal.save('scout', 'core', 'One');
    await notes.apply('ada', 'scout', { operation: 'overwrite', content: '# Money\nThree\n' });
    for (const text of ['', ' ', '*']) {
      const refused = { code: 'INVALID_QUERY', details: { field: 'text' } };
      await expect(journal.search('scout', text)).rejects.toMatchObject(refused);
      await expect(notes.search('ada', 'scout', text)).rejects.toMatchObject(refused);
      if (text !== '*') await expect(details.search('ada', text)).rejects.toMatchObject(refused);
    }
  });
});
