import { expect, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../index.ts';

const SESSION = 's';

async function open() {
  const manager = new MemoryManager({ store: new MemoryStore() });
  for (const [user, session] of [
    ['ada', SESSION],
    ['eve', 'eves'],
  ] as const)
    await manager.createSession(user, { session_id: session });
  const layers = await manager.layers();
  for (const name of ['scout', 'guide']) await layers.agents.create({ name });
  const of = (user_id: string) => ({ provenance: { user_id } });
  await manager.addMemory(SESSION, {
    type: 'finding',
    id: 'held',
    content: { text: 'The code is Blue  Heron' },
  });
  await manager.addMemory(SESSION, { type: 'finding', id: 'other', content: { text: 'The code is secret' } });
  await manager.addMemory('eves', { type: 'finding', id: 'eves', content: { text: 'A blue heron' } });
  const filler = 'x '.repeat(200_000);
  await layers.details.store(SESSION, {
    key: 'deep',
    content: `${filler}blue\nheron ${filler}`,
    description: 'a log',
  });
  await layers.details.store(SESSION, { key: 'plain', content: 'nothing', description: 'a page' });
  const { id: own } = await layers.journal.save('scout', 'journal', 'Saw a blue heron', of('ada'));
  await layers.journal.edit('scout', own, 'Saw a bird');
  const { id: guides } = await layers.journal.save('guide', 'core', 'ada likes the blue heron', of('ada'));
  const { id: foreign } = await layers.journal.save('scout', 'core', 'eve has a blue heron', of('eve'));
  await layers.notes.apply('ada', 'scout', {
    operation: 'append',
    content: '- tea\n- Blue heron at dawn\n- coffee\n',
  });
  await layers.notes.apply('ada', 'guide', { operation: 'append', content: '- blue heron\n- bread\n' });
  return { manager, layers, own, guides, foreign };
}

test('what is forgotten by a text is everything of the user that holds it, and nothing else', async () => {
  const { manager, layers, own, guides, foreign } = await open();
  const preview = await layers.privacy.preview({ user: 'ada', text: 'blue heron' });
  expect(preview).toMatchObject({ memories: 3, details: 1, notes: 2, note_lines: 2 });
  expect(preview.items.map(({ kind, text, reason }) => [kind, text, reason])).toEqual([
    ['memory', 'The code is Blue Heron', 'asked for'],
    ['detail', 'a log', 'asked for'],
    ['private', 'ada likes the blue heron', 'asked for'],
    ['private', 'Saw a bird', 'asked for'],
    ['notes', '- blue heron', 'asked for'],
    ['notes', '- Blue heron at dawn', 'asked for'],
  ]);
  const receipt = await manager.forget('ada', { text: 'BLUE heron' });
  expect(receipt.pieces).toMatchObject({ memories: 3, details: 1, note_lines: 2 });
  expect(JSON.stringify(receipt)).not.toMatch(/heron/i);
  expect(await manager.getMemory(SESSION, 'held')).toBeNull();
  expect(await manager.getMemory(SESSION, 'other')).not.toBeNull();
  expect(await manager.getMemory('eves', 'eves')).not.toBeNull();
  expect((await layers.details.list('ada')).map(({ memory_key }) => memory_key)).toEqual(['plain']);
  expect(await layers.journal.find('scout', own)).toBeUndefined();
  expect(await layers.journal.find('guide', guides)).toBeUndefined();
  expect(await layers.journal.find('scout', foreign)).toBeDefined();
  expect((await layers.notes.read('ada', 'scout')).text).toBe('- tea\n- coffee\n');
  const left = await layers.privacy.verifyErased(['heron']);
  // What stays is eve's.
  expect(left.found.map(({ place }) => place).every((place) => /eves|agent.scout/.test(place))).toBe(true);
  expect((await manager.forget('ada', { text: 'blue heron' })).receipt_id).toBeNull();
});

test('an agent that is asked reaches its own notes and memories of the user alone', async () => {
  const { manager, layers, guides } = await open();
  const { layers: tools } = await manager.as({ account_id: 'local', user_id: 'ada' }).toolScope();
  const report = await tools.forget(
    { userId: 'ada', agentId: 'scout' },
    { text: 'blue heron' },
    { dryRun: false },
  );
  expect(report.items.map(({ kind }) => kind)).toEqual(['memory', 'detail', 'private', 'notes']);
  expect(await layers.journal.find('guide', guides)).toBeDefined();
  expect((await layers.notes.read('ada', 'guide')).text).toContain('blue heron');
  const bound = manager.as({ account_id: 'local', user_id: 'ada', agent_id: 'guide' });
  await bound.forget({ text: 'blue heron' });
  expect(await layers.journal.find('guide', guides)).toBeUndefined();
});

test('a blank text is refused, and so is a text beside something else', async () => {
  const { manager, layers } = await open();
  for (const what of [{ text: ' \n' }, { text: '' }, { text: 'x', ids: ['held'] }] as const)
    await expect(manager.forget('ada', what)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(layers.privacy.forget({ agent: 'scout', text: 'x' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });
  expect(await manager.getMemory(SESSION, 'held')).not.toBeNull();
});

test('of a session alone, its memories and details go', async () => {
  const { manager, layers, own } = await open();
  await layers.privacy.forget({ session: SESSION, text: 'blue heron' });
  expect(await manager.getMemory(SESSION, 'held')).toBeNull();
  expect(await layers.journal.find('scout', own)).toBeDefined();
});

test('a preview of a whole session lists its texts, and counts those that it leaves out', async () => {
  const { manager, layers } = await open();
  const { items } = await layers.privacy.preview({ session: SESSION });
  expect(items.map(({ kind, text }) => [kind, text])).toEqual([
    ['session', 'all of it'],
    ['memory', 'The code is Blue Heron'],
    ['memory', 'The code is secret'],
    ['detail', 'a log'],
    ['detail', 'a page'],
  ]);
  const many = Array.from(
    { length: 150 },
    (_, n) => ({ type: 'finding', content: { text: `number ${n}` } }) as const,
  );
  await manager.addMemories(SESSION, many);
  const large = await layers.privacy.preview({ session: SESSION });
  expect([large.items.length, large.items_left_out]).toEqual([100, 55]);
});

test('messages that hold a text are found, also those that nothing was taken from', async () => {
  const { manager, layers } = await open();
  const said = { role: 'user' as const, timestamp: '2026-06-01T10:00:00.000Z' };
  await manager.as({ account_id: 'local', user_id: 'ada' }).archiveMessages(SESSION, [
    { ...said, id: 'm1', content: 'What is the weather in Timbuktu?' },
    { ...said, id: 'm2', content: 'What is the weather in Rome?' },
  ]);
  const { items } = await layers.privacy.preview({ user: 'ada', text: 'timbuktu' });
  expect(items).toMatchObject([{ kind: 'message', id: 'm1', text: 'What is the weather in Timbuktu?' }]);
  expect((await manager.forget('ada', { text: 'timbuktu' })).pieces.messages).toBe(1);
  expect((await layers.transcripts.messages(SESSION)).map(({ id }) => id)).toEqual(['m2']);
  await manager.close();
});

test('a text is whole words, or anything in scripts without blanks, and holds a letter or a digit', async () => {
  const { manager, layers } = await open();
  for (const text of ['We plan a party', 'Modern art, please', '東京タワーに行く', 'The art-house'])
    await manager.addMemory(SESSION, { type: 'finding', content: { text } });
  await layers.details.store(SESSION, {
    key: 'cut',
    content: `${'x'.repeat(65_535)}art`,
    description: 'one',
  });
  await layers.details.store(SESSION, {
    key: 'across',
    content: `${'x '.repeat(32_767)}ar`.padEnd(65_537, 't'),
    description: 'two',
  });
  const found = async (text: string) =>
    (await layers.privacy.preview({ user: 'ada', text })).items.map((item) => item.text);
  expect(await found('ART')).toEqual(['Modern art, please', 'The art-house', 'two']);
  expect(await found('京タ')).toEqual(['東京タワーに行く']);
  expect(await found('東京')).toEqual(['東京タワーに行く']);
  for (const text of [' ', '!', '…?'])
    await expect(found(text)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await manager.close();
});
