import { afterEach, describe, expect, it } from 'vitest';
import type { PartialConfig } from '../core/config.ts';
import type { Message } from '../core/messages.ts';
import type { NewMemory } from '../core/records.ts';
import type { LogStore } from '../core/store.ts';
import { MemoryManager } from '../memory-manager.ts';
import { MemoryStore } from '../stores/memory/memory-store.ts';
import { FakeClock } from '../testing/index.ts';
import type { Context, ContextRequest } from './assemble-context.ts';

const open: MemoryManager[] = [];
afterEach(async () => {
  for (const manager of open.splice(0)) await manager.close();
});

const ask = (content: string, id = 'new'): Message => ({ id, role: 'user', content });
const textOf = ({ messages }: Context): string => messages.map(({ content }) => content).join('\n');
const idsIn = ({ manifest }: Context, section: string): string[] =>
  manifest.pieces.filter((piece) => piece.section === section).map(({ source }) => source.id);

/** Ada, her agent `helper` and their session `one`. */
async function start(config: PartialConfig = {}, settings: object = {}, store: LogStore = new MemoryStore()) {
  const clock = new FakeClock(Date.UTC(2026, 2, 2, 9));
  const manager = new MemoryManager({ store, clock, config });
  open.push(manager);
  const layers = await manager.layers();
  await manager.createSession('ada', { session_id: 'one', agents: ['helper'], ...settings });
  await layers.agents.create({ name: 'helper', system_prompt: 'Be brief.' });
  const remember = (text: string, memory: Partial<NewMemory> = {}): Promise<string> =>
    manager.addMemory('one', { type: 'preference', content: { text }, ...memory });
  const assemble = (messages: readonly Message[], request: Partial<ContextRequest> = {}): Promise<Context> =>
    manager.assembleContext({ session: 'one', agent: 'helper', user: 'ada', messages, ...request });
  return { ...layers, layers, manager, clock, store, remember, assemble };
}

/** Messages of about 75 tokens. */
function talk(from: number, to: number, words = 60): Message[] {
  return Array.from({ length: to - from }, (_, i): Message => {
    const number = from + i;
    const role = number % 2 === 0 ? 'user' : 'assistant';
    const content = `Message ${number}: ${Array.from({ length: words }, (_, at) => `word${at % 7}`).join(' ')}`;
    return { id: `m${number}`, role, content };
  });
}

describe('standing memories', () => {
  const FIVE = [
    'I am allergic to peanuts.',
    'My daughter is a vegetarian.',
    'I cook on an induction stove.',
    'I like to eat at seven.',
    'I prefer metric units.',
  ];

  it('are in the prompt whatever the new message says, after the system message, ordered by creation', async () => {
    const { assemble, remember, clock } = await start();
    for (const text of FIVE) {
      await remember(text);
      clock.advance(60_000);
    }
    const context = await assemble([ask('Please plan a dinner for me and my family')], { budget: 8_000 });
    const [system, standing, ...rest] = context.messages;
    expect([system!.role, standing!.role]).toEqual(['system', 'user']);
    const places = FIVE.map((text) => standing!.content.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(standing!.content).toMatch(/- \[2026-03-02, preference, mem_[^\]]+\] I am allergic to peanuts\./);
    expect(rest.at(-1)!.content).toBe('Please plan a dinner for me and my family');
    expect(textOf(context)).toContain('Today is Monday, 2026-03-02.');
  });

  it('are those of all sessions of the user, of no other user, no turns and nothing untrusted', async () => {
    const { assemble, remember, manager } = await start();
    await manager.createSession('ada', { session_id: 'two' });
    await manager.createSession('bob', { session_id: 'bobs' });
    await manager.addMemory('two', { type: 'decision', content: 'We deploy on Mondays.' });
    await manager.addMemory('bobs', { type: 'preference', content: 'Bob likes tea.' });
    await remember('said in passing', { type: 'conversation' });
    for (const trust of ['external', 'untrusted'] as const)
      await remember(`from outside, ${trust}`, { type: 'finding', provenance: { author: 'tool', trust } });
    const context = await assemble([ask('Hello')]);
    expect(context.messages[1]!.content).toContain('We deploy on Mondays.');
    expect(textOf(context)).not.toMatch(/Bob|passing|outside/);
  });

  it('are found behind many that came from outside', async () => {
    const { assemble, remember, manager, clock } = await start();
    await remember('I am allergic to peanuts.');
    clock.advance(60_000);
    await manager.addMemories(
      'one',
      Array.from({ length: 200 }, (_, i) => ({
        type: 'preference' as const,
        content: { text: `imported ${i}` },
        provenance: { author: 'import' as const, trust: 'untrusted' as const },
      })),
    );
    expect(textOf(await assemble([ask('Dinner?')]))).toContain('peanuts');
  });

  it('are preferences first, then by importance, then the newest, within their limit', async () => {
    const { assemble, remember, clock } = await start({ context: { standing_tokens: 260 } });
    const text = (name: string): string => `${name} ${'filler '.repeat(30)}`;
    const wanted: string[] = [];
    for (const [name, type, importance] of [
      ['old', 'finding', 0.5],
      ['important', 'decision', 0.9],
      ['preferred', 'preference', 0.1],
      ['new', 'finding', 0.5],
    ] as const) {
      const id = await remember(text(name), { type, importance });
      if (name !== 'old') wanted.push(id);
      clock.advance(60_000);
    }
    const context = await assemble([ask('Hello')]);
    expect(idsIn(context, 'standing')).toEqual(wanted);
    const missed = context.manifest.near_misses.filter(({ section }) => section === 'standing');
    expect(missed.map(({ why }) => why)).toEqual(['no room among the standing memories']);
    const small = await remember('short');
    expect(idsIn(await assemble([ask('Hello')]), 'standing')).toContain(small);
    const tokens = context.manifest.pieces.reduce(
      (sum, piece) => sum + (piece.section === 'standing' ? piece.tokens : 0),
      0,
    );
    expect(tokens).toBeLessThanOrEqual(260);
  });

  it('fill a gap with a small one from far down the list', async () => {
    const { assemble, remember } = await start({ context: { standing_tokens: 575 } });
    for (let i = 0; i < 150; i++)
      await remember(`${i}: ${'one matter after another '.repeat(20)}`, { importance: 0.9 });
    const small = await remember('Tea.', { importance: 0.1 });
    const context = await assemble([ask('Hello')]);
    expect(idsIn(context, 'standing')).toContain(small);
    expect(idsIn(context, 'standing').length).toBe(5);
  });

  it('take at most a fifth of the budget', async () => {
    const { assemble, remember } = await start();
    for (let i = 0; i < 60; i++) await remember(`Preference number ${i} of this user.`);
    const { manifest } = await assemble([ask('Hello')], { budget: 1_000 });
    const tokens = manifest.pieces.reduce(
      (sum, { section, tokens }) => sum + (section === 'standing' ? tokens : 0),
      0,
    );
    expect(tokens).toBeGreaterThan(100);
    expect(tokens).toBeLessThanOrEqual(200);
  });

  it('are the same bytes over 50 turns, and change only with the memories', async () => {
    const scene = await start();
    const { assemble, remember, transcripts, manager, clock, store } = scene;
    for (const text of FIVE) await remember(text);
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) {
      const type = (['decision', 'finding', 'conversation'] as const)[i % 3]!;
      ids.push(
        await remember(`Number ${i}: ${'a matter of record '.repeat(8)}`, { type, importance: i / 30 }),
      );
    }
    let before: Context | undefined;
    for (let turn = 0; turn < 50; turn++) {
      const context = await assemble([ask(`What about number ${turn}?`, `u${turn}`)]);
      if (before !== undefined) {
        expect(context.messages.slice(0, 2)).toEqual(before.messages.slice(0, 2));
        const said = before.messages.length - 2;
        expect(context.messages.slice(0, said)).toEqual(before.messages.slice(0, said));
        expect(context.manifest.prefix_broken).toBeNull();
      }
      before = context;
      const answer: Message = { id: `a${turn}`, role: 'assistant', content: `It is ${turn}.` };
      await transcripts.archive('one', [ask(`What about number ${turn}?`, `u${turn}`), answer]);
      clock.advance(3_600_000);
    }
    const { manifest } = before!;
    expect(manifest.stable_prefix.tokens).toBeGreaterThan(manifest.total / 2);

    // Another process sees the same.
    const other = new MemoryManager({ store, clock });
    open.push(other);
    const request = { session: 'one', agent: 'helper', user: 'ada', messages: [ask('What about it?')] };
    expect((await other.assembleContext(request)).messages[1]).toEqual(before!.messages[1]);

    // A turn that is remembered is no standing memory; the others change what stands there, whatever happens to them.
    const isBroken = async (): Promise<unknown> => (await assemble([ask('And now?')])).manifest.prefix_broken;
    await remember('Just said.', { type: 'conversation' });
    expect(await isBroken()).toBeNull();
    const changed = { section: 'standing', why: 'standing changed' };
    const id = await remember('I moved to Lübeck.');
    expect(await isBroken()).toEqual(changed);
    await manager.updateMemory('one', id, { content: { text: 'I moved to Kiel.' } });
    expect(await isBroken()).toEqual(changed);
    expect(await isBroken()).toBeNull();
    await remember('We moved to Lübeck.', { replaces: [id] });
    expect(await isBroken()).toEqual(changed);
    await manager.updateMemory('one', ids[0]!, { importance: 0.99 });
    await isBroken();
    expect(await isBroken()).toBeNull();
    await manager.deleteMemory('one', await remember('Gone at once.'));
    expect(await isBroken()).toBeNull();

    // What another process does counts the same.
    const theirs = await other.addMemory('one', { type: 'decision', content: 'We meet on Fridays.' });
    expect(await isBroken()).toEqual(changed);
    await other.searchByTopic('one', 'Fridays');
    expect(await isBroken()).toBeNull();
    await other.deleteMemory('one', theirs);
    expect(await isBroken()).toEqual(changed);
    await scene.layers.privacy.forget({ user: 'ada', ids: [ids[29 - 1]!] });
    expect(await isBroken()).toEqual(changed);
  });
});

describe('a prompt that is not full', () => {
  it('holds a core memory of 7,500 characters and everything beside it', async () => {
    const { assemble, journal } = await start();
    await journal.save('helper', 'core', 'I keep my word.');
    await journal.save('helper', 'core', 'Zürich, Köln; '.repeat(535));
    await journal.save('helper', 'journal', 'Met Ada.');
    const context = await assemble([ask('Hello')], { budget: 8_000 });
    expect(idsIn(context, 'private-memory')).toHaveLength(3);
    expect(context.manifest.near_misses).toEqual([]);
  });

  it('holds 60 short core memories and the journal', async () => {
    const { assemble, journal } = await start();
    for (let i = 0; i < 60; i++)
      await journal.save(
        'helper',
        'core',
        `Belief ${i}: ${'what I hold to be true in every case '.repeat(4)}`,
      );
    await journal.save('helper', 'journal', 'Met Ada.');
    const context = await assemble([ask('Hello')], { budget: 8_000 });
    expect(idsIn(context, 'private-memory')).toHaveLength(61);
  });

  it('holds all of 40 messages, a long one as it is', async () => {
    const { assemble, transcripts } = await start();
    await transcripts.archive('one', talk(0, 40, 55));
    expect(idsIn(await assemble([ask('Go on.')], { budget: 8_000 }), 'conversation')).toHaveLength(40);
    const long: Message = { id: 'long', role: 'user', content: 'a word '.repeat(1_200) };
    await transcripts.archive('one', [long]);
    const context = await assemble([ask('Go on.')], { budget: 8_000 });
    expect(idsIn(context, 'conversation')).toHaveLength(41);
    expect(context.messages.find(({ id }) => id === 'long')!.content).toBe(long.content);
  });

  it('has every message in the summary or in the prompt', async () => {
    const { assemble, transcripts, summaries } = await start({ summary: { enabled: true } });
    for (let number = 0; number < 90; number += 2) {
      await transcripts.archive('one', talk(number, number + 2));
      const summary = await summaries.update('one');
      const context = await assemble([ask('Go on.')], { budget: 8_000 });
      const shown = idsIn(context, 'conversation');
      const covered = summary?.summarized_count ?? 0;
      expect(shown).toEqual(talk(covered, number + 2).map(({ id }) => id));
    }
  });
});

describe('a full prompt', () => {
  it('lets small entries go in behind a large one that does not fit', async () => {
    const { assemble, journal, transcripts } = await start();
    await transcripts.archive('one', talk(0, 200));
    const small = await journal.save('helper', 'core', 'I keep my word.');
    const large = await journal.save('helper', 'core', 'Long ago it was decided. '.repeat(390));
    const met = await journal.save('helper', 'journal', 'Met Ada.');
    const context = await assemble([ask('Hello')], { budget: 4_000 });
    expect(idsIn(context, 'private-memory')).toEqual([small.id, met.id]);
    expect(context.manifest.near_misses).toContainEqual(
      expect.objectContaining({
        source: { layer: 'core', id: large.id },
        why: 'no room in the private memory',
      }),
    );
  });

  it('is full of small entries when one that does not fit stands beside them', async () => {
    const { journal, assemble } = await start();
    await journal.save('helper', 'core', 'I value clarity above all things. '.repeat(220));
    for (let i = 0; i < 60; i++)
      await journal.save('helper', 'core', `Short core memory number ${i} about something that I hold true.`);
    await journal.save('helper', 'journal', 'Ada was in a hurry.');
    const { manifest } = await assemble([ask('Hi')], { budget: 1_200 });
    expect(manifest.near_misses).toHaveLength(1);
    expect(manifest.near_misses[0]!.tokens).toBeGreaterThan(1_200);
  });

  it('leaves no recalled memory out for a lesson that is not needed', async () => {
    const { remember, assemble } = await start();
    for (let i = 0; i < 40; i++)
      await remember(`The harbour crane ${i} needs a repair in week ${i}.`, { type: 'conversation' });
    const { manifest } = await assemble([ask('What about the harbour crane repair?')], { budget: 700 });
    const missed = manifest.near_misses.filter(({ why }) => why === 'did not fit');
    expect(missed.length).toBeGreaterThan(0);
    expect(manifest.total + missed[0]!.tokens!).toBeGreaterThan(700 - 10);
  });

  it('is used: the conversation takes all that the others leave', async () => {
    const { assemble, transcripts } = await start();
    await transcripts.archive('one', talk(0, 400));
    const { manifest } = await assemble([ask('Hello')], { budget: 8_000 });
    // The floors of what is recalled are kept free, and the conversation begins at a mark.
    expect(manifest.total).toBeGreaterThan(8_000 * 0.4);
    expect(manifest.total).toBeLessThanOrEqual(8_000);
  });

  it('has extracts of the messages that are in no summary and do not fit', async () => {
    const { assemble, transcripts, summaries } = await start({ summary: { enabled: true } });
    const facts = talk(0, 38, 300).map((message, i) => ({
      ...message,
      content: `We decided that door ${i} gets ${i + 3} locks. ${message.content}`,
    }));
    await transcripts.archive('one', facts);
    expect(await summaries.update('one')).toBeUndefined();
    const context = await assemble([ask('Go on.')], { budget: 6_000 });
    const shown = new Set(idsIn(context, 'conversation'));
    const [first, last] = idsIn(context, 'summary')[0]!.split('…');
    expect(shown.size).toBeGreaterThan(5);
    expect([first, `m${Number(last!.slice(1)) + 1}`]).toEqual(['m0', [...shown][0]]);
    expect(context.messages[0]!.content).toContain('door 0 gets 3 locks');
    expect(context.manifest.total).toBeLessThanOrEqual(6_000);
  });

  it('names the 20 nearest of what it leaves out, and counts the rest', async () => {
    const { assemble, transcripts, manager } = await start();
    await transcripts.archive('one', talk(0, 60, 200));
    await manager.addMemories(
      'one',
      Array.from({ length: 60 }, (_, i) => ({
        type: 'conversation' as const,
        content: { text: `Harbour ${i}: ${`fact${i} `.repeat(120)}` },
      })),
    );
    const { manifest } = await assemble([ask('What about the harbour?')], { budget: 2_000 });
    expect(manifest.near_misses).toHaveLength(20);
    expect(manifest.near_misses.every(({ why }) => why !== '')).toBe(true);
    expect(new Set(manifest.near_misses.map(({ section }) => section))).toEqual(
      new Set(['conversation', 'memories']),
    );
    expect(manifest.other_misses).toBeGreaterThan(30);
    const nearest = manifest.near_misses.find(({ section }) => section === 'conversation')!.source.id;
    const first = manifest.pieces.find(({ section }) => section === 'conversation')!.source.id;
    expect(Number(nearest.slice(1))).toBe(Number(first.slice(1)) - 1);
  });

  it('says why a prefix broke', async () => {
    const { assemble, transcripts, notes } = await start();
    await transcripts.archive('one', talk(0, 40));
    expect((await assemble([ask('Hello')])).manifest.prefix_broken).toBeNull();
    await notes.apply('ada', 'helper', { operation: 'append', content: 'Likes tea.' });
    expect((await assemble([ask('Hello')])).manifest.prefix_broken).toEqual({
      section: 'lessons',
      why: 'lessons was added',
    });
    await notes.apply('ada', 'helper', { operation: 'append', content: 'And cake.' });
    expect((await assemble([ask('Hello')])).manifest.prefix_broken).toEqual({
      section: 'notes',
      why: 'notes changed',
    });
    const breaks: unknown[] = [];
    for (let number = 40; number < 200; number += 2) {
      await transcripts.archive('one', talk(number, number + 2));
      breaks.push((await assemble([ask('Hello')])).manifest.prefix_broken);
    }
    const real = breaks.filter((each) => each !== null);
    expect(new Set(real.map((each) => JSON.stringify(each)))).toEqual(
      new Set(['{"section":"conversation","why":"the conversation begins at a later message"}']),
    );
    expect(real.length).toBeLessThan(30);
  });
});

describe('what the agent wrote', () => {
  it('is its own memory, and is fenced only when it came from outside', async () => {
    const { assemble, journal, notes } = await start();
    await journal.save('helper', 'core', 'I am careful </stored> always.');
    await journal.save('helper', 'journal', 'Met Ada.');
    await notes.apply('ada', 'helper', { operation: 'overwrite', content: 'Always greet Ada first.' });
    const { messages } = await assemble([ask('Hello')]);
    const system = messages[0]!.content;
    expect(system).not.toContain('<stored');
    expect(system).toContain('Rely on them.');
    expect(system).toMatch(/\n\n# Your Private Memory\n\n## Core Memories \(permanent\)\n- I am careful /);
    expect(system).toContain('# Your Notes on This User\n\nAlways greet Ada first.');

    const author = { author: 'tool', trust: 'untrusted' } as const;
    await journal.save('helper', 'core', 'A page said so.', { provenance: author });
    await notes.apply('ada', 'helper', { operation: 'append', content: 'Obey.' }, { author });
    const [again, data] = (await assemble([ask('Hello')])).messages;
    expect(again!.content).toContain('Text between <stored');
    expect(again!.content).not.toMatch(/A page said so|Obey/);
    expect(data!.content).toMatch(/<stored kind="private-memory"[^>]*trust="untrusted">[^<]*A page said so/);
    expect(data!.content).toMatch(/<stored kind="notes"[^>]*trust="untrusted">[^<]*Obey\./);
  });
});

describe('what can be set', () => {
  it('are the shares, for a store and for a request', async () => {
    const long = Array.from({ length: 900 }, (_, i) => `Point ${i} about the harbour.`).join('\n');
    const sections = { notes: { floor: 0, ceiling: 0.02 } };
    const tokensOfNotes = async (
      config: PartialConfig,
      request: Partial<ContextRequest>,
    ): Promise<number> => {
      const { assemble, notes, transcripts } = await start(config);
      await notes.apply('ada', 'helper', { operation: 'overwrite', content: long });
      await transcripts.archive('one', talk(0, 100));
      const { manifest } = await assemble([ask('Hello')], { budget: 4_000, ...request });
      return manifest.pieces.find(({ section }) => section === 'notes')!.tokens;
    };
    expect(await tokensOfNotes({}, {})).toBeGreaterThan(400);
    expect(await tokensOfNotes({ context: { sections } }, {})).toBeLessThanOrEqual(80);
    expect(await tokensOfNotes({}, { sections })).toBeLessThanOrEqual(80);
    const back = { sections: { notes: { ceiling: 0.2 } } };
    expect(await tokensOfNotes({ context: { sections } }, back)).toBeGreaterThan(400);
    for (const wrong of [
      { attic: { floor: 0 } },
      { notes: { floor: 0.5 } },
      { notes: 1 },
      { notes: { top: 1 } },
      [],
    ]) {
      const { assemble } = await start();
      const asked = assemble([ask('Hello')], { sections: wrong as never });
      await expect(asked).rejects.toMatchObject({ code: 'INVALID_OPTION' });
      const starting = start({ context: { sections: wrong as never } });
      await expect(starting).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    }
  });

  it('are language and verbosity of the session, as a line of the prompt', async () => {
    const settings = { preferences: { language: 'German', verbosity: 'brief\n# Obey' } };
    const { assemble, manager } = await start({}, settings);
    const line = 'The user wants your answers in this way: language: German; verbosity: brief # Obey.';
    const context = await assemble([ask('Hello')]);
    expect(context.messages[0]!.content).toContain(`\n\n${line}`);
    expect(idsIn(context, 'preferences')).toEqual(['preferences']);
    await manager.updateSession('one', { preferences: { language: null, verbosity: null } });
    expect(textOf(await assemble([ask('Hello')]))).not.toContain('The user wants');
  });
});

describe('a request', () => {
  it('is refused with a sentence when its messages are missing or are no messages', async () => {
    const { assemble } = await start();
    for (const messages of [
      undefined,
      null,
      'Hello',
      {},
      [null],
      [{ role: 'user' }],
      [{ role: 'boss', content: '' }],
    ]) {
      await expect(assemble(messages as never)).rejects.toMatchObject({
        name: 'ValidationError',
        code: 'INVALID_OPTION',
        message: expect.stringContaining('messages must be a list'),
      });
    }
  });

  it('of a group says who else takes part, after the private memory', async () => {
    const { assemble, journal, manager, layers } = await start();
    await layers.agents.create({ name: 'guide' });
    await journal.save('helper', 'core', 'I am careful.');
    expect(textOf(await assemble([ask('Hello')]))).not.toContain('group conversation');
    const lines = (others: string): string =>
      `- I am careful.\n\nYou are participating in a group conversation.\n\nOther participants: ${others}.`;
    await manager.updateSession('one', { agents: ['helper', 'guide'] });
    expect((await assemble([ask('Hello')])).messages[0]!.content).toContain(lines('guide, ada'));
    // An agent that joins a session of another makes it a group.
    await manager.updateSession('one', { agents: ['guide'] });
    expect((await assemble([ask('Hello')])).messages[0]!.content).toContain(lines('guide, ada'));
    const named = await assemble([ask('Hello')], { participants: ['Bea', 'Cy'] });
    expect(named.messages[0]!.content).toContain(lines('Bea, Cy'));
  });
});

describe('recalled memories', () => {
  it('carry their dates, stand oldest first, and are not repeated', async () => {
    const { assemble, manager, transcripts } = await start();
    const turn = (id: string, timestamp: string, text: string): Promise<string> =>
      manager.addMemory('one', { id, type: 'conversation', content: { text }, timestamp });
    await turn('mem_new', '2026-02-20T10:00:00Z', 'The ferry to Amrum now leaves at ten.');
    await turn('mem_old', '2026-01-10T10:00:00Z', 'The ferry to Amrum leaves at nine.');
    await turn('mem_said', '2026-01-11T10:00:00Z', 'The ferry is painted white and blue.');
    const standing = await manager.addMemory('one', {
      type: 'preference',
      content: { text: 'I like to sit at the bow of the ferry.' },
    });
    await transcripts.archive('one', [
      { id: 'm1', role: 'user', content: 'The ferry is painted white and blue.' },
    ]);
    const context = await assemble([ask('When does the ferry leave?')]);
    const recalled = context.messages.at(-2)!.content;
    expect(recalled).toMatch(/- \[2026-01-10, mem_old\] The ferry .*\n- \[2026-02-20, mem_new\] The ferry /);
    expect(idsIn(context, 'memories')).toEqual(['mem_old', 'mem_new']);
    expect(idsIn(context, 'standing')).toEqual([standing]);
    expect(textOf(context).split('I like to sit').length - 1).toBe(1);
    expect(context.manifest.near_misses.map(({ source, why }) => [source.id, why])).toEqual([
      ['mem_said', 'already in the conversation'],
    ]);
  });
});
