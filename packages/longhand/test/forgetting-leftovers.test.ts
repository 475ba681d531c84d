import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileStore, type ForgetRequest, MemoryManager } from '../src/index.ts';
import type { Layers } from '../src/layers.ts';
import { startProcess, temporaryFolder } from './campaign.ts';

/**
 * What a killed writer, or a damaged disk, leaves behind must not outlive a forgetting that finds nothing else in the
 * same file: torn ends and damaged lines of the logs beside a session and of notes, and drafts of large values.
 */
const CANARY = 'xylophonecanary';
const TEN_YEARS_AGO = new Date('2016-01-01T00:00:00Z');
const LONG_AGO: ForgetRequest = { user: 'ada', timeRange: { start: TEN_YEARS_AGO, end: TEN_YEARS_AGO } };

interface Opened {
  readonly root: string;
  readonly manager: MemoryManager;
  readonly layers: Layers;
}

/** One of everything, and none of it holds the canary. */
async function open(): Promise<Opened> {
  const root = join(temporaryFolder(), 'store');
  const manager = new MemoryManager({ store: new FileStore({ root }) });
  const layers = await manager.layers();
  await manager.createSession('ada', { session_id: 'chat' });
  await manager.addMemory('chat', { id: 'mem_1', type: 'finding', content: { text: 'harmless' } });
  await layers.transcripts.archive('chat', [{ id: 'msg_1', role: 'user', content: 'harmless' }]);
  await layers.details.store('chat', { content: 'harmless', key: 'log_1' });
  await layers.notes.apply('ada', 'scout', { operation: 'append', content: 'harmless\n' });
  return { root, manager, layers };
}

const LOGS = {
  transcript: 'sessions/chat/transcript.jsonl',
  details: 'sessions/chat/details.jsonl',
  notes: 'users/ada/notes/scout.jsonl',
} as const;
type Log = keyof typeof LOGS;

/** As a writer leaves it who was killed in the middle of a line. */
function tear({ root }: Opened, log: Log, id = 'unknown'): void {
  const opening = {
    transcript: `{"schema_version":1,"record":"batch","messages":[{"id":"${id}","content":"`,
    details: `{"schema_version":1,"record":"detail","memory_key":"${id}","summary":"`,
    notes: `{"schema_version":1,"record":"version","version":9,"text":"`,
  }[log];
  appendFileSync(join(root, LOGS[log]), `${opening}${CANARY}`);
}

/** Writes a second record, damages it beside its id and its text, and opens the store again. */
async function damage({ root, layers, manager }: Opened, log: Log): Promise<Opened> {
  if (log === 'transcript')
    await layers.transcripts.archive('chat', [{ id: 'msg_2', role: 'user', content: CANARY }]);
  else if (log === 'details') await layers.details.store('chat', { content: CANARY, key: 'log_2' });
  else await layers.notes.apply('ada', 'scout', { operation: 'prepend', content: `${CANARY}\n` });
  await manager.close();
  const path = join(root, LOGS[log]);
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findLastIndex((line) => line.includes(CANARY));
  lines[at] = lines[at]!.replace('"timestamp":"2', '"timestamp":"3');
  writeFileSync(path, lines.join('\n'));
  const again = new MemoryManager({ store: new FileStore({ root }) });
  return { root, manager: again, layers: await again.layers() };
}

async function filesWithCanary({ root, layers }: Opened): Promise<string[]> {
  const { found } = await layers.privacy.verifyErased([CANARY]);
  const places = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(CANARY));
  expect(found.length > 0).toBe(places.length > 0);
  return places;
}

describe.each(['transcript', 'details'] as const)('a torn end of %s', (log) => {
  test.each([
    ['a memory of the session by its id', { user: 'ada', ids: ['mem_1'] }],
    ['a time that reaches nothing', LONG_AGO],
    ['what it names', { session: 'chat', ids: ['unknown'] }],
  ])('goes with %s', async (_, request: ForgetRequest) => {
    const opened = await open();
    tear(opened, log);
    expect(await filesWithCanary(opened)).toHaveLength(1);
    await opened.layers.privacy.forget(request);
    expect(await filesWithCanary(opened)).toEqual([]);
    expect(await opened.layers.transcripts.count('chat')).toBe(1);
    expect((await opened.layers.details.retrieve('ada', 'log_1')).content).toBe('harmless');
    await opened.manager.close();
  });

  test('stays when nothing of the ids is in its session', async () => {
    const opened = await open();
    tear(opened, log);
    await opened.layers.privacy.forget({ user: 'ada', ids: ['mem_9', 'msg_9', 'log_9'] });
    expect(await filesWithCanary(opened)).toHaveLength(1);
    await opened.manager.close();
  });
});

describe.each([
  ['transcript', 'msg_2'],
  ['details', 'log_2'],
] as const)('a damaged line of %s', (log, id) => {
  test.each([
    ['its id, which nothing else names', { user: 'ada', ids: [id] }],
    ['a time that reaches nothing', LONG_AGO],
  ])('goes with %s, and with what it alone named', async (_, request: ForgetRequest) => {
    const opened = await damage(await open(), log);
    expect((await filesWithCanary(opened)).length).toBeGreaterThan(0);
    await opened.layers.privacy.forget(request);
    expect(await filesWithCanary(opened)).toEqual([]);
    expect(await opened.layers.transcripts.count('chat')).toBe(1);
    expect((await opened.layers.details.retrieve('ada', 'log_1')).content).toBe('harmless');
    await opened.manager.close();
  });

  test('is kept aside when another memory goes and a torn end with it, until it is meant', async () => {
    const opened = await damage(await open(), log);
    tear(opened, log);
    await opened.layers.privacy.forget({ user: 'ada', ids: ['mem_1'] });
    const left = await filesWithCanary(opened);
    expect(left.filter((path) => path.includes('corrupt'))).toHaveLength(1);
    expect(left.filter((path) => path.endsWith('.jsonl'))).toEqual([]);
    await opened.layers.privacy.forget({ user: 'ada', ids: [id] });
    expect(await filesWithCanary(opened)).toEqual([]);
    await opened.manager.close();
  });
});

describe('the versions of notes', () => {
  test('lose a torn end with a time that reaches nothing', async () => {
    const opened = await open();
    tear(opened, 'notes');
    expect(await filesWithCanary(opened)).toHaveLength(1);
    expect((await opened.layers.privacy.preview(LONG_AGO)).notes).toBe(0);
    await opened.layers.privacy.forget(LONG_AGO);
    expect(await filesWithCanary(opened)).toEqual([]);
    expect((await opened.layers.notes.read('ada', 'scout')).text).toBe('harmless\n');
    await opened.manager.close();
  });

  test('lose a damaged one with a time that reaches nothing', async () => {
    const opened = await damage(await open(), 'notes');
    const document = join(opened.root, 'users/ada/notes/scout.md');
    writeFileSync(document, 'harmless\n');
    expect(await filesWithCanary(opened)).toHaveLength(1);
    await opened.layers.privacy.forget(LONG_AGO);
    expect(await filesWithCanary(opened)).toEqual([]);
    expect((await opened.layers.notes.read('ada', 'scout')).text).toBe('harmless\n');
    await opened.manager.close();
  });
});

describe('the draft of a writer that was killed', () => {
  async function leaveDraft(opened: Opened): Promise<void> {
    const task = { root: opened.root, sessionId: 'chat', text: CANARY };
    let isWriting = (): void => undefined;
    const writing = new Promise<void>((resolve) => {
      isWriting = resolve;
    });
    const { child, ended, failure } = startProcess('detail-writer.ts', task, isWriting);
    await Promise.race([writing, failure]);
    // A live process keeps what it is writing.
    await opened.layers.privacy.forget({ user: 'ada', ids: ['mem_9'] });
    expect(await filesWithCanary(opened)).toEqual([expect.stringMatching(/details.\..*\.tmp$/)]);
    child.kill('SIGKILL');
    await ended;
    expect(await filesWithCanary(opened)).toHaveLength(1);
  }

  test.each([
    ['a forgetting of something else', { user: 'ada', ids: ['mem_9'] }],
    ['a forgetting of a topic', { session: 'chat', topic: 'secret' }],
    ['a forgetting of a time', LONG_AGO],
    ['a forgetting of an agent', { agent: 'scout' }],
  ])('goes with %s', async (_, request: ForgetRequest) => {
    const opened = await open();
    await leaveDraft(opened);
    await opened.layers.privacy.forget(request);
    expect(await filesWithCanary(opened)).toEqual([]);
    await opened.manager.close();
  });

  test('goes with the upkeep of its session', async () => {
    const opened = await open();
    await leaveDraft(opened);
    await opened.manager.closeSession('chat');
    expect(await filesWithCanary(opened)).toEqual([]);
    await opened.manager.close();
  });
});

describe('a memory in another session, taken from a message', () => {
  /** What is kept of `msg_2` is in `diary`, and nothing there names the session in which it was said. */
  async function openWithMemory(): Promise<Opened> {
    const opened = await open();
    await opened.manager.createSession('ada', { session_id: 'diary' });
    await opened.manager.addMemory('diary', {
      type: 'finding',
      content: { text: CANARY },
      provenance: { author: 'assistant', message_id: 'msg_2' },
    });
    return opened;
  }

  const prune = ({ layers }: Opened): Promise<number> => layers.transcripts.prune('chat', Date.now() + 1_000);

  test('goes with the session when the message has passed its retention', async () => {
    const opened = await openWithMemory();
    await opened.layers.transcripts.archive('chat', [{ id: 'msg_2', role: 'user', content: 'said' }]);
    await prune(opened);
    await opened.layers.privacy.forget({ session: 'chat' });
    expect(await filesWithCanary(opened)).toEqual([]);
    await opened.manager.close();
  });

  test.each([
    ['retention', prune],
    ['a forgetting', ({ layers }: Opened) => layers.transcripts.forget('chat', ['msg_1'])],
  ])('goes with the session when the line of the message was damaged, and went with %s', async (_, drop) => {
    const opened = await damage(await openWithMemory(), 'transcript');
    await drop(opened);
    expect(readFileSync(join(opened.root, LOGS.transcript), 'utf8')).not.toContain(CANARY);
    // Every later rewrite takes the ids along, once.
    await opened.layers.transcripts.archive('chat', [{ id: 'msg_3', role: 'user', content: 'harmless' }]);
    await opened.layers.transcripts.forget('chat', ['msg_3']);
    await opened.layers.transcripts.archive('chat', [{ id: 'msg_4', role: 'user', content: 'harmless' }]);
    await prune(opened);
    const log = readFileSync(join(opened.root, LOGS.transcript), 'utf8');
    expect(log.match(/"lost_ids":\["msg_2"\]/g)).toHaveLength(1);
    await opened.layers.privacy.forget({ session: 'chat' });
    expect(await filesWithCanary(opened)).toEqual([]);
    await opened.manager.close();
  });
});

test('a summary goes with a damaged line whose kind was hit', async () => {
  const { root, manager } = await open();
  await manager.close();
  const config = { summary: { enabled: true, threshold: 3, keep_last: 1 } };
  const first = new MemoryManager({ store: new FileStore({ root }), config });
  const { transcripts, summaries } = await first.layers();
  await transcripts.archive('chat', [{ id: 'msg_2', role: 'assistant', content: `I decided on ${CANARY}.` }]);
  const more = ['a', 'b', 'c'].map((id) => ({ id, role: 'user', content: `And ${id}?` }) as const);
  await transcripts.archive('chat', more);
  await summaries.update('chat');
  expect((await summaries.current('chat'))?.text).toContain(CANARY);
  await transcripts.archive('chat', [{ id: 'late', role: 'user', content: 'Said after the summary.' }]);
  await first.close();
  const path = join(root, LOGS.transcript);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"batch"(.*"msg_2")/, '"baTch"$1'));
  const again = new MemoryManager({ store: new FileStore({ root }), config });
  const opened = { root, manager: again, layers: await again.layers() };
  await opened.layers.privacy.forget({ user: 'ada', ids: ['msg_2', 'late'] });
  expect(await filesWithCanary(opened)).toEqual([]);
  await again.close();
});

test('a value goes with its detail when the name of the value was hit as well', async () => {
  const { root, layers, manager } = await open();
  await layers.details.store('chat', { content: CANARY, key: 'log_2' });
  await manager.close();
  const path = join(root, LOGS.details);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/("log_2".*)"blob":"/, '$1"b,ob":"'));
  const again = new MemoryManager({ store: new FileStore({ root }) });
  const opened = { root, manager: again, layers: await again.layers() };
  await opened.layers.privacy.forget({ user: 'ada', ids: ['log_2'] });
  expect(await filesWithCanary(opened)).toEqual([]);
  expect((await opened.layers.details.retrieve('ada', 'log_1')).content).toBe('harmless');
  await again.close();
});

test('a torn end is set aside by a compaction, and goes with a topic that it names', async () => {
  const opened = await open();
  const { root, manager, layers } = opened;
  await manager.addMemory('chat', { type: 'finding', content: { text: CANARY }, tags: ['secret'] });
  const path = join(root, 'sessions/chat/memory.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
  await manager.compactSession('chat');
  expect(await filesWithCanary(opened)).toEqual([expect.stringContaining(join('chat', 'corrupt'))]);
  await layers.privacy.forget({ user: 'ada', topic: 'secret' });
  expect(await filesWithCanary(opened)).toEqual([]);
  await manager.close();
});

test('a value whose writer was killed before it recorded it goes with the detail that a retry has stored', async () => {
  const opened = await open();
  const { manager, layers, root } = opened;
  // As a writer leaves it who is killed between the value and the record.
  const store = new FileStore({ root });
  const blob =
    (await layers.details.store('chat', { content: 'x', key: 'log_9' })) &&
    (await store.list('blob', 'chat'))[0]!;
  const orphan = `${blob.slice(0, -2)}ZZ`;
  await store.writeBlob({ kind: 'session', id: 'chat' }, orphan, [Buffer.from(CANARY)]);
  await store.close();
  await layers.details.store('chat', { content: CANARY, key: 'log_2', description: 'a word' });
  expect(await filesWithCanary(opened)).toHaveLength(2);
  await layers.privacy.forget({ user: 'ada', ids: ['log_2'] });
  expect(await filesWithCanary(opened)).toEqual([]);
  expect((await layers.details.retrieve('ada', 'log_1')).content).toBe('harmless');
  await manager.close();
});

describe('the reason of a deletion', () => {
  test.each([
    ['before its text has left the file', async () => undefined],
    ['after it', async ({ manager }: Opened) => manager.compactSession('chat')],
  ])('goes with the memory when that is forgotten %s', async (_, meanwhile) => {
    const opened = await open();
    const { manager, layers } = opened;
    const events: unknown[] = [];
    manager.subscribe((event) => events.push(event));
    await manager.deleteMemory('chat', 'mem_1', { reason: CANARY });
    expect(JSON.stringify(events)).not.toContain(CANARY);
    await meanwhile(opened);
    expect(await filesWithCanary(opened)).not.toEqual([]);
    await layers.privacy.forget({ user: 'ada', ids: ['mem_1'] });
    expect(await filesWithCanary(opened)).toEqual([]);
    expect(await manager.getMemory('chat', 'mem_1')).toBeNull();
    expect((await layers.privacy.preview({ user: 'ada', ids: ['mem_1'] })).memories).toBe(0);
    await manager.close();
  });
});
