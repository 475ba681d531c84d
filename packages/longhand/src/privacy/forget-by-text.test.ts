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
    content: `${filler}blue\nheron${filler}`,
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
  const preview = await layers.previewForgetting({ user: 'ada', text: 'blue heron' });
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
  const { items } = await layers.previewForgetting({ session: SESSION });
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
  const large = await layers.previewForgetting({ session: SESSION });
  expect([large.items.length, large.items_left_out]).toEqual([100, 55]);
});
