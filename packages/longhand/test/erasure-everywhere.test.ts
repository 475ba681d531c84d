import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Embedder, FileStore, type ForgetRequest, MemoryManager } from '../src/index.ts';
import type { Layers } from '../src/layers.ts';
import { FakeClock, SynonymEmbedder } from '../src/testing/index.ts';
import { TOOLS } from '../src/tools/index.ts';
import { sized, temporaryFolder, withSeed } from './campaign.ts';

/**
 * Random lives of a store on files, with a canary word in random places of every layer, with bytes flipped, tails
 * torn and writers killed; then a request to forget, and a scan of the folder, byte by byte, that shares nothing with
 * the library. What the request covers is in no file, under no name, in no dictionary; and `verifyErased` says so too.
 */
const RUNS = sized(180, 6_000);
const CANARY = 'xylophonecanary';
const STEM = 'xylophonecanar';
const NOW = Date.parse('2026-03-02T10:00:00Z');
const DAY_MS = 86_400_000;

const PLACES = [
  ...[
    'memory text',
    'memory tag',
    'metadata key',
    'memory weighed',
    'memory put right',
    'memory put wrong',
    'memory deleted',
    'memory used',
  ],
  ...['notes', 'notes history', 'notes by hand', 'detail', 'detail description', 'detail inactive'],
  ...['detail draft', 'message', 'message and summary', 'window', 'session preferences', 'agent answer'],
  ...['journal', 'journal edited', 'system prompt', 'message too long', 'message of a memory'],
  ...[
    'memory of a message',
    'memory of a message elsewhere',
    'message past its retention',
    'agent answer by name',
  ],
  ...['memory of a full session', 'detail of a full session', 'noted of a message', 'noted of a session'],
  ...['noted of a session that is gone'],
] as const;
const TROUBLES = [
  ...['flip a byte', 'tear a tail', 'compact', 'close the session', 'search', 'restart'],
  ...['embed', 'embed elsewhere', 'harm a vector'],
] as const;
type Place = (typeof PLACES)[number];
type Trouble = (typeof TROUBLES)[number];

/** What the vector of every text with the canary looks like on the disk. */
const MARK = Int8Array.of(127, -3, 99, -55, 31, 88, -120, 64);

/** Another identity now and then: vectors of every embedder have to go. */
function markingEmbedder(identity: string): Embedder {
  const other = new SynonymEmbedder({ dimensions: MARK.length, identity });
  return {
    identity: other.identity,
    dimensions: MARK.length,
    embed: async (texts, options) => {
      const vectors = await other.embed(texts, options);
      return vectors.map((vector, at) =>
        texts[at]!.toLowerCase().includes(STEM) ? Float32Array.from(MARK) : vector,
      );
    },
  };
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ place: fc.constantFrom(...PLACES), nth: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ trouble: fc.constantFrom(...TROUBLES), nth: fc.nat(100_000) }) },
);
type Step = { place: Place; nth: number } | { trouble: Trouble; nth: number };
const KINDS = ['user', 'session', 'time', 'ids', 'topic', 'agent'] as const;
type Kind = (typeof KINDS)[number];

/** What each kind of request reaches. Everything else of the canary is not meant by it. */
const REACHES: Readonly<Record<Kind, (place: Place) => boolean>> = {
  user: (place) => !isPrivate(place),
  session: (place) =>
    !isPrivate(place) && !place.startsWith('notes') && place !== 'noted of a session that is gone',
  time: (place) =>
    !isPrivate(place) && place !== 'session preferences' && !place.startsWith('noted of a session'),
  ids: (place) =>
    place.startsWith('memory') ||
    place.startsWith('message') ||
    place.startsWith('detail') ||
    place === 'noted of a message',
  topic: (place) => place.startsWith('memory') || place === 'message of a memory' || place === 'detail draft',
  agent: (place) =>
    isPrivate(place) ||
    place.startsWith('note') ||
    place.startsWith('agent answer') ||
    place === 'detail draft',
};

/** Where bytes are damaged. A line that cannot be read may be what is meant, where the request reaches. */
const DAMAGES: Readonly<Record<Kind, RegExp>> = {
  user: /sessions.chat.(memory|transcript|details)|users.ada.*notes/,
  session: /sessions.chat.(memory|transcript|details)/,
  time: /sessions.chat.(memory|transcript|details)|users.ada.*notes/,
  ids: /sessions.chat.(memory|transcript|details)/,
  topic: /sessions.chat.(memory|transcript|details)/,
  agent: /agents.scout/,
};

function isPrivate(place: Place): boolean {
  return place.startsWith('journal') || place === 'system prompt';
}

class Life {
  readonly root = join(temporaryFolder(false), 'store');
  readonly ids: string[] = [];
  readonly #kind: Kind;
  readonly #clock = new FakeClock(NOW);
  /** Another process, which searches now and then, and must bring nothing back. */
  readonly onlooker: MemoryManager;
  #manager: MemoryManager;
  #count = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
    this.#manager = this.#open();
    this.onlooker = this.#open('another');
  }

  #open(embedder = 'first'): MemoryManager {
    return new MemoryManager({
      embedder: markingEmbedder(embedder),
      store: new FileStore({ root: this.root, clock: this.#clock }),
      clock: this.#clock,
      config: { summary: { enabled: true, threshold: 3, keep_last: 1 } },
      indexLimits: { sealAtDocuments: 4, sealWhenBuilding: 4 },
      tokenCounter: { name: 'four', count: (text) => Math.ceil(text.length / 4) },
    });
  }

  get manager(): MemoryManager {
    return this.#manager;
  }

  layers(): Promise<Layers> {
    return this.#manager.layers();
  }

  async start(): Promise<void> {
    const { agents } = await this.layers();
    await agents.ensure('scout');
    await this.#manager.createSession('ada', { session_id: 'chat-2' });
    for (const [user, session] of [
      ['ada', 'chat'],
      ['bob', 'other'],
    ] as const) {
      await this.#manager.createSession(user, { session_id: session });
      await this.#manager.addMemory(session, {
        type: 'decision',
        id: `mem_${user}`,
        content: { text: 'harmless' },
      });
      const { transcripts, notes, details, journal } = await this.layers();
      await transcripts.archive(session, [{ id: `${user}_first`, role: 'user', content: 'harmless' }]);
      for (const agent of ['scout', 'guide'])
        await notes.apply(user, agent, { operation: 'overwrite', content: 'harmless\n' });
      await details.store(session, { content: 'harmless', key: `${user}_log` });
      await journal.save('scout', 'core', 'harmless');
    }
  }

  async put(place: Place, nth: number): Promise<void> {
    const manager = this.#manager;
    const layers = await this.layers();
    const number = ++this.#count;
    this.#clock.advance(1_000);
    const text = `${'word '.repeat(nth % 7)}${CANARY} ${number}`;
    const remember = async (fields: object): Promise<string> => {
      const id = `mem_${number}`;
      this.ids.push(id);
      const tags = ['secret'];
      const memory = { type: 'finding', id, content: { text: `note ${number}` }, tags, ...fields } as const;
      return manager.addMemory('chat', memory);
    };
    switch (place) {
      case 'memory text':
        return void (await remember({ content: { text } }));
      case 'memory tag':
        return void (await remember({ tags: [`secret.${CANARY}`] }));
      case 'metadata key':
        return void (await remember({ content: { text: 'x', metadata: { [CANARY]: { [text]: text } } } }));
      case 'memory weighed':
        return manager.setImportance('chat', await remember({ content: { text } }), 0.9);
      case 'memory put right': {
        const wrong = await remember({ content: { text } });
        return void (await manager.updateMemory('chat', wrong, {
          content: { text: `no longer, ${number}` },
        }));
      }
      case 'memory put wrong': {
        const right = await remember({});
        return void (await manager.updateMemory('chat', right, { content: { text } }));
      }
      case 'memory deleted':
        return void (await manager.deleteMemory('chat', await remember({ content: { text } })));
      case 'memory used':
        await remember({ content: { text } });
        return void (await manager.queryMemories('chat', { text: CANARY }));
      case 'notes':
        return void (await layers.notes.apply('ada', 'scout', { operation: 'append', content: `${text}\n` }));
      case 'notes history':
        await layers.notes.apply('ada', 'scout', { operation: 'append', content: `# S${number}\n${text}\n` });
        return void (await layers.notes.apply('ada', 'scout', {
          operation: 'replace_section_by_header',
          section_header: `S${number}`,
          content: 'nothing',
        }));
      case 'notes by hand': {
        const { text: before } = await layers.notes.read('ada', 'scout');
        const store = new FileStore({ root: this.root });
        await store.writeDocument(
          { kind: 'notes', userId: 'ada', id: 'scout' },
          'notes.md',
          `${before}${text}\n`,
        );
        await store.close();
        return void (await layers.notes.read('ada', 'scout'));
      }
      case 'detail':
      case 'detail description':
      case 'detail inactive': {
        const isValue = place === 'detail';
        const value = isValue ? { content: `${text}\n`.repeat(nth) } : { content: 'x', description: text };
        const { memory_key } = await layers.details.store('chat', { ...value, metadata: { command: text } });
        this.ids.push(memory_key);
        if (place === 'detail inactive') await layers.details.setActive('ada', memory_key, false);
        return;
      }
      case 'detail draft':
        return this.#leaveDraft(text);
      case 'memory of a message':
      case 'memory of a message elsewhere': {
        const id = `msg_${number}`;
        this.ids.push(id);
        await layers.transcripts.archive('chat', [{ id, role: 'user', content: text }]);
        // Not named directly: it goes with the message, or the message with it.
        const session = place === 'memory of a message' ? 'chat' : 'chat-2';
        await manager.addMemory(session, {
          type: 'finding',
          content: { text },
          tags: ['secret'],
          provenance: { author: 'assistant', message_id: id },
        });
        return;
      }
      case 'memory of a full session': {
        // Kept where the session went on, under a name of the earlier form.
        const provenance = { author: 'assistant', session_id: 'chat' } as const;
        const id = `mem_${number}`;
        this.ids.push(id);
        const memory = { type: 'finding', id, content: { text }, tags: ['secret'], provenance } as const;
        return void (await manager.addMemory('chat-2', memory));
      }
      case 'detail of a full session': {
        const provenance = { author: 'tool', session_id: 'chat' } as const;
        const { memory_key } = await layers.details.store('chat-2', { content: text, provenance });
        return void this.ids.push(memory_key);
      }
      case 'noted of a message':
      case 'noted of a session':
      case 'noted of a session that is gone': {
        const isGone = place === 'noted of a session that is gone';
        const sessionId = isGone ? `gone-${number}` : 'chat';
        if (isGone) await manager.createSession('ada', { session_id: sessionId });
        const id = `msg_${number}`;
        this.ids.push(id);
        await layers.transcripts.archive(sessionId, [{ id, role: 'user', content: 'harmless' }]);
        const principal = { account_id: 'local', user_id: 'ada', agent_id: 'scout' };
        const scope = await manager.as(principal).toolScope(sessionId);
        const tool = TOOLS.find(({ name }) => name === (nth % 2 === 0 ? 'save_to_core' : 'save_to_journal'))!;
        const messageId = place === 'noted of a message' ? id : undefined;
        await tool.run({ content: text }, { ...scope, messageId });
        if (!isGone) return;
        // As when a person removes the folder: what was taken from the session stays.
        const store = new FileStore({ root: this.root });
        await store.remove({ kind: 'session', id: sessionId });
        return store.close();
      }
      case 'message':
      case 'message and summary':
      case 'message past its retention':
      case 'agent answer by name':
      case 'agent answer': {
        const id = `msg_${number}`;
        if (place.startsWith('message')) this.ids.push(id);
        const provenance = { author: 'assistant', trust: 'agent', agent_id: 'scout' } as const;
        const message = { id, role: 'assistant', content: `I decided on ${text} at 10:30.` } as const;
        await layers.transcripts.archive('chat', [
          {
            ...message,
            ...(place === 'agent answer' ? { provenance } : {}),
            ...(place === 'agent answer by name' ? { name: 'scout' } : {}),
          },
        ]);
        if (place !== 'message') {
          const more = ['a', 'b', 'c', 'd'].map((letter) => ({
            id: `more_${number}${letter}`,
            role: 'user' as const,
            content: `Go on with ${letter}.`,
          }));
          await layers.transcripts.archive('chat', more);
          await layers.summaries.update('chat');
          await manager.rebuildIndex('chat');
        }
        if (place === 'message past its retention') {
          this.#clock.advance(DAY_MS);
          await layers.transcripts.prune('chat', this.#clock.now() - DAY_MS / 2);
        }
        return;
      }
      case 'message too long':
      case 'message of a memory': {
        const id = `msg_${number}`;
        this.ids.push(id);
        const content = `${text} `.repeat(400);
        const timestamp = new Date(this.#clock.now()).toISOString();
        await layers.transcripts.archive('chat', [{ id, role: 'user', content, timestamp }]);
        if (place === 'message of a memory')
          await remember({ provenance: { author: 'assistant', message_id: id } });
        // Kept as a detail, perhaps on another day than it was said.
        if (nth % 2 === 0) this.#clock.advance(3 * DAY_MS);
        const request = { session: 'chat', user: 'ada', messages: [], budget: 600 };
        return void (await manager.assembleContext(request));
      }
      case 'window':
        return void (await layers.windows.append('chat', [
          {
            id: `win_${number}`,
            role: 'user',
            content: text,
            timestamp: new Date(this.#clock.now()).toISOString(),
          },
        ]));
      case 'session preferences':
        return void (await manager.updateSession('chat', { preferences: { custom: { about: text } } }));
      case 'journal':
        return void (await layers.journal.save('scout', nth % 2 === 0 ? 'core' : 'journal', text));
      case 'journal edited': {
        const { id } = await layers.journal.save('scout', 'journal', text);
        return void (await layers.journal.edit('scout', id, 'something else'));
      }
      case 'system prompt':
        await layers.agents.update('scout', { system_prompt: text });
        return void (await layers.agents.update('scout', { system_prompt: null }));
    }
  }

  async make(trouble: Trouble, nth: number): Promise<void> {
    switch (trouble) {
      case 'flip a byte':
        return this.#flip(nth);
      case 'tear a tail':
        return this.#tear(nth);
      case 'compact':
        return void (await this.#manager.compactSession('chat'));
      case 'close the session':
        return this.#manager.closeSession('chat');
      case 'embed':
        await this.#manager.embedMemories('ada');
        break;
      case 'embed elsewhere':
        await this.onlooker.embedMemories('ada');
        break;
      case 'harm a vector': {
        const files = filesUnder(join(this.root, 'users', 'ada')).filter((path) => path.endsWith('.vectors'));
        const path = files[nth % Math.max(1, files.length)];
        // Forgetting an agent need not touch a user, and a block that cannot be read is never taken for clean.
        if (path === undefined || this.#kind === 'agent') break;
        const bytes = readFileSync(path);
        bytes[nth % bytes.length]! ^= 1;
        writeFileSync(path, bytes);
        break;
      }
      case 'search':
        await this.onlooker.queryMemories('chat', { text: 'word', scope: 'user' });
        await (await this.onlooker.layers()).details.search('ada', CANARY);
        return void (await this.#manager.queryMemories('chat', { text: 'word', scope: 'user' }));
      case 'restart':
        await this.#manager.close();
        this.#manager = this.#open();
    }
  }

  /** What was written line by line, and lies where the request reaches. */
  #logs(): string[] {
    const where = DAMAGES[this.#kind];
    return filesUnder(this.root).filter((path) => path.endsWith('.jsonl') && where.test(path));
  }

  /** Never in the first line: a session whose owner cannot be read is another story. */
  #flip(nth: number): void {
    const paths = this.#logs();
    const path = paths[nth % paths.length];
    if (path === undefined) return;
    const bytes = readFileSync(path);
    const start = bytes.indexOf(0x0a) + 1;
    if (start === 0 || start >= bytes.length) return;
    const at = start + (nth % (bytes.length - start));
    // Outside of the canary, so that the scan still knows it when it sees it.
    const near = bytes.subarray(Math.max(0, at - CANARY.length), at + CANARY.length);
    if (near.includes(STEM.slice(0, 4))) return;
    // Nor in what alone says that a memory is of the topic, and from which message: that would be lost.
    const telling = this.#kind === 'topic' ? ['"tags"', 'secret', 'message_id', 'msg_'] : ['msg_'];
    if (telling.some((text) => near.includes(text))) return;
    bytes[at] = bytes[at]! ^ (1 << (nth % 7));
    writeFileSync(path, bytes);
  }

  /** As a writer leaves it who was killed. */
  #tear(nth: number): void {
    const paths = this.#logs();
    const path = paths[nth % paths.length];
    if (path === undefined) return;
    if (nth % 2 === 0) {
      appendFileSync(path, `{"schema_version":1,"id":"mem_torn","content":{"text":"${CANARY}`);
      return;
    }
    const { size } = statSync(path);
    const first = readFileSync(path).indexOf(0x0a) + 1;
    truncateSync(path, Math.max(first, size - 1 - (nth % 40)));
  }

  /** A value that was being written when its writer was killed: no record names it. */
  async #leaveDraft(text: string): Promise<void> {
    const layers = await this.layers();
    const { memory_key } = await layers.details.store('chat', { content: 'x' });
    await layers.details.remove('ada', memory_key);
    const folder = join(this.root, 'sessions', 'chat', 'details');
    writeFileSync(join(folder, `.detail_${this.#count}.00000000-0000-4000-8000-000000000000.tmp`), text);
  }

  async requestOf(kind: Kind): Promise<ForgetRequest> {
    switch (kind) {
      case 'user':
        return { user: 'ada' };
      case 'session':
        return { session: 'chat' };
      case 'time':
        return {
          user: 'ada',
          timeRange: { start: new Date(NOW - DAY_MS), end: new Date(NOW + 400 * DAY_MS) },
        };
      case 'ids':
        return { user: 'ada', ids: [...this.ids, 'mem_none'] };
      case 'topic':
        return { user: 'ada', topic: 'secret' };
      case 'agent':
        return { agent: 'scout' };
    }
  }
}

function filesUnder(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Our own eyes: every byte, whatever it is called, without a word of the library. */
function placesWithCanary(root: string): string[] {
  return filesUnder(root).filter(
    (path) =>
      path.toLowerCase().includes(STEM) ||
      readFileSync(path).toString('latin1').toLowerCase().includes(STEM) ||
      readFileSync(path).includes(Buffer.from(MARK)),
  );
}

async function live(kind: Kind, steps: readonly Step[]): Promise<void> {
  const life = new Life(kind);
  await life.start();
  const reaches = REACHES[kind];
  for (const each of steps) {
    if ('trouble' in each) await life.make(each.trouble, each.nth);
    else if (reaches(each.place)) await life.put(each.place, each.nth);
  }
  // Ids say nothing of a line that cannot be read: it goes with what they find beside it.
  if (kind === 'ids')
    for (const place of ['memory text', 'message', 'detail'] as const) await life.put(place, 1);
  // A topic that was never used touches no user, and a block that cannot be read is never taken for clean.
  const isHarmed = steps.some((each) => 'trouble' in each && each.trouble === 'harm a vector');
  if (kind === 'topic' && isHarmed) await life.put('memory text', 1);
  const layers = await life.layers();
  await layers.privacy.forget(await life.requestOf(kind));
  expect(placesWithCanary(life.root)).toEqual([]);
  expect((await layers.privacy.verifyErased([STEM])).found).toEqual([]);
  if (kind !== 'user' && kind !== 'session')
    expect(JSON.stringify(await layers.windows.read('chat'))).not.toContain(STEM);
  // No other user has lost anything, and what was forgotten does not come back.
  expect(await life.manager.getMemory('other', 'mem_bob')).not.toBeNull();
  expect(await layers.transcripts.count('other')).toBe(1);
  expect((await layers.details.retrieve('bob', 'bob_log')).content).toBe('harmless');
  expect((await layers.notes.read('bob', 'guide')).text).toBe('harmless\n');
  await life.manager.close();
  await life.onlooker.close();
  expect(placesWithCanary(life.root)).toEqual([]);
}

test.each(KINDS)('what is forgotten by %s is in no byte of the store', async (kind) => {
  await withSeed((seed) =>
    fc.assert(
      fc.asyncProperty(fc.array(step as fc.Arbitrary<Step>, { minLength: 4, maxLength: 25 }), (steps) =>
        live(kind, steps),
      ),
      { seed, numRuns: Math.ceil(RUNS / KINDS.length), endOnFailure: false },
    ),
  );
});
