import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../src/operations/index.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { managerOf, SUPPORTS } from './store-place.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ flags: { 'limits-body-kb': 64 } });
  await server.call('POST', '/api/sessions', { session_id: 's' });
});
afterAll(() => server.stop());

const MEMORIES = '/api/sessions/s/memories';
const memory = (text: string) => ({ type: 'finding', content: { text } });

describe('problems', () => {
  it('say what is wrong with which field', async () => {
    const answer = await server.call('POST', MEMORIES, { type: 'dream', content: 7, colour: 'red' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', status: 400, title: 'Invalid request' });
    const fields = answer.body.errors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(['type', 'content']));
  });

  it('have the codes of the library and a status that fits', async () => {
    const cases = [
      ['GET', '/api/sessions/none', undefined, 404, 'SESSION_NOT_FOUND'],
      ['GET', `${MEMORIES}/mem_none`, undefined, 404, 'MEMORY_NOT_FOUND'],
      ['POST', '/api/sessions', { session_id: 's' }, 409, 'SESSION_EXISTS'],
      ['POST', MEMORIES, { ...memory('x'), tags: ['not a tag!'] }, 400, 'INVALID_TAG'],
      ['POST', MEMORIES, { ...memory('x'), timestamp: 'yesterday-ish' }, 400, 'INVALID_TIMESTAMP'],
      ['POST', `${MEMORIES}/query`, { within: 'when pigs fly' }, 400, 'INVALID_QUERY'],
      ['GET', '/api/nothing', undefined, 404, 'ROUTE_NOT_FOUND'],
      ['PUT', '/api/sessions', {}, 405, 'METHOD_NOT_ALLOWED'],
      ['POST', '/api/events', {}, 405, 'METHOD_NOT_ALLOWED'],
      ['DELETE', '/healthz', undefined, 405, 'METHOD_NOT_ALLOWED'],
      ['POST', MEMORIES, '{"type":', 400, 'INVALID_JSON'],
      ['POST', MEMORIES, '[1]', 400, 'INVALID_REQUEST'],
      ['GET', '/api/sessions?limit=many', undefined, 400, 'INVALID_REQUEST'],
      ['GET', '/api/sessions?colour=red', undefined, 400, 'INVALID_REQUEST'],
      ['POST', MEMORIES, { ...memory('x'), session_id: 'other' }, 400, 'INVALID_REQUEST'],
    ] as const;
    for (const [method, path, body, status, code] of cases) {
      const answer = await server.call(method, path, body);
      expect([answer.status, answer.body.code], `${method} ${path}`).toEqual([status, code]);
      expect(answer.body.instance).toBe(answer.headers.get('x-request-id'));
    }
    const plain = await server.call('POST', MEMORIES, 'x', { 'content-type': 'text/plain' });
    expect(plain.body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it('name fields as they are called here', async () => {
    const { status, body } = await server.call('POST', '/api/memories/forget', {});
    expect([status, body.detail]).toEqual([400, 'Say what to forget: ids, text, topic or time_range.']);
  });

  it('are none where a memory of the user has a type in another word', async () => {
    const goal = { type: 'goal', content: 'Run a marathon' };
    expect((await server.call('POST', '/api/memories', goal)).status).toBe(201);
    const asked = { text: 'marathon', tags: { include: ['kind.goal'] } };
    const { body } = await server.call('POST', '/api/memories/recall', asked);
    expect(body.memories).toMatchObject([{ type: 'finding', tags: ['kind.goal'] }]);
    const core = await server.call('POST', '/api/memories', { type: 'core', content: 'x' });
    expect([core.status, core.body.code]).toEqual([400, 'INVALID_OPTION']);
  });

  it('carry the request id that the client gave', async () => {
    const given = await server.call('GET', '/api/sessions/none', undefined, { 'x-request-id': 'abc-1' });
    expect(given.body.instance).toBe('abc-1');
    const strange = await server.call('GET', '/healthz', undefined, { 'x-request-id': 'a b<script>' });
    expect(strange.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once-1' };

  it('does a thing once, and gives the same answer again', async () => {
    const first = await server.call('POST', MEMORIES, memory('once'), headers);
    const again = await server.call('POST', MEMORIES, memory('once'), headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await server.call('POST', MEMORIES, memory('other'), headers);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const asAda = { ...headers, 'longhand-user': 'ada' };
    await server.call('POST', '/api/sessions', { session_id: 'of-ada' }, { 'longhand-user': 'ada' });
    const ofAda = await server.call('POST', '/api/sessions/of-ada/memories', memory('other'), asAda);
    expect(ofAda.status).toBe(201);
  });

  it('does a thing once when the same request comes many times at once', async () => {
    const key = { 'idempotency-key': 'together' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server.call('POST', MEMORIES, memory('together'), key)),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    const page = await server.call('POST', `${MEMORIES}/query`, { text: 'together' });
    expect(page.body.memories).toHaveLength(1);
  });

  it('does a thing once even when the server was restarted in between', async () => {
    const body = { memories: [memory('first of two'), memory('second of two')] };
    const key = { 'idempotency-key': 'before-the-crash' };
    const first = await server.call('POST', `${MEMORIES}/batch`, body, key);
    const other = await startTestServer({ storageRoot: server.storageRoot });
    const again = await other.call('POST', `${MEMORIES}/batch`, body, key);
    expect(again.body).toEqual(first.body);
    await other.stop();
  });
});

describe('an Idempotency-Key on a streamed answer', () => {
  const body = { prompt: 'Remember that my cat is called Minka.', stream: true };
  const messagesOf = async (session: string): Promise<string[]> => {
    const { body: page } = await server.call('GET', `/api/chat/sessions/${session}/messages`);
    return page.messages.map(({ role }: { role: string }) => role);
  };

  it('makes no second turn, whole or streamed, once or many times at once', async () => {
    const headers = { 'idempotency-key': 'stream-1' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => server.call('POST', '/agent/run', body, headers)),
    );
    answers.push(await server.call('POST', '/agent/run', body, headers));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const done = answers.flatMap((answer) => /event: done\ndata: (.*)/.exec(answer.text)?.[1] ?? []);
    expect(done.length).toBeGreaterThan(0);
    const ids = done.map(
      (data) => JSON.parse(data) as { session_id: string; message_id: string; answer: string },
    );
    expect(new Set(ids.map((one) => JSON.stringify([one.session_id, one.message_id, one.answer]))).size).toBe(
      1,
    );
    expect(await messagesOf(ids[0]!.session_id)).toEqual(['user', 'assistant']);
  });

  it('keeps what was said once, when the client left and asks again', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'stream-3' };
    const leaving = new AbortController();
    const response = await fetch(`${server.server.url}/agent/run`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal },
    });
    await response.body!.getReader().read();
    leaving.abort();
    let again = await server.call('POST', '/agent/run', body, headers);
    while (again.status === 409) again = await server.call('POST', '/agent/run', body, headers);
    expect(again.body).toContain('event: done');
    const roles = await messagesOf(/"session_id":"([^"]+)"/.exec(again.text)![1]!);
    expect(roles.filter((role) => role === 'user')).toHaveLength(1);
  });
});

describe('the front door', () => {
  it('leads a browser to the docs, and tells others what this is', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml' };
    const browser = await fetch(server.server.url, { redirect: 'manual', headers });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/docs']);
    const { status, body } = await server.call('GET', '/');
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'longhand', docs: '/docs', openapi: '/openapi.json', mcp: '/mcp' });
  });
});

describe('bodies', () => {
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(server.server.port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  const head = `POST ${MEMORIES} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;

  it('beyond the limit are refused, whatever they say of themselves', async () => {
    const large = await server.call('POST', MEMORIES, memory('x'.repeat(70_000)));
    expect([large.status, large.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(await raw(`${head}content-length: 99999999\r\nconnection: close\r\n\r\n{`)).toMatch(
      /^HTTP\/1.1 413/,
    );
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    expect(await raw(`${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(8)}`)).toMatch(
      /^HTTP\/1.1 413/,
    );
    expect((await server.call('GET', '/healthz')).status).toBe(200);
  });

  it('that are too deep are refused, whatever would look into them', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const call = `{"id":"c","name":"t","arguments":{"a":${deep}}}`;
    const context = `{"session_id":"s","messages":[{"role":"assistant","content":"","tool_calls":[${call}]}]}`;
    for (const [path, text] of [
      [MEMORIES, `{"type":"finding","content":{"a":${deep}}}`],
      ['/api/context', context],
    ] as const) {
      const { status, body } = await server.call('POST', path, text, { 'idempotency-key': 'deep' });
      expect([status, body.code], path).toEqual([400, 'INVALID_JSON']);
    }
    // Brackets in a text are no depth, and a memory may be as deep as memories may be.
    const brackets = JSON.stringify(memory(`"\\${'[{'.repeat(200)}`));
    expect((await server.call('POST', MEMORIES, brackets)).status).toBe(201);
    const nested = `${'{"a":'.repeat(62)}1${'}'.repeat(62)}`;
    const batch = `{"memories":[{"type":"finding","content":${nested}}]}`;
    expect((await server.call('POST', `${MEMORIES}/batch`, batch)).status).toBe(201);
  });

  it('that are no HTTP get a problem and no more', async () => {
    expect(await raw('HELLO\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*problem\+json/);
    expect(await raw(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431/,
    );
    expect(await raw(`${head}content-length: -5\r\n\r\n`)).toMatch(/^HTTP\/1.1 400/);
    expect(await raw(`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 400/,
    );
  });
});

describe('what is no operation', () => {
  it('is not well when its store cannot be read', async () => {
    const own = await startTestServer();
    expect((await own.call('GET', '/healthz')).status).toBe(200);
    await own.services.manager.close();
    expect((await own.call('GET', '/healthz')).status).toBe(503);
    await own.stop();
  });

  it('tells Prometheus the metrics under their names', async () => {
    await server.call('POST', MEMORIES, memory('measured'));
    await server.call('POST', '/api/search', { text: 'measured' });
    const { body, headers } = await server.call('GET', '/metrics');
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
    for (const name of [
      'memory_sessions_active',
      'memory_entries_total',
      'memory_size_bytes',
      'memory_operations_write_duration_ms_bucket{le="+Inf"}',
      'memory_operations_query_duration_ms_count',
      'memory_locks_contention_count',
      'memory_compaction_count',
      'memory_errors_corruption_count',
    ])
      expect(body).toMatch(new RegExp(`^${name.replaceAll(/[{}+"=]/g, '\\$&')} \\d`, 'm'));
    for (const line of String(body).trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? [\d.e+-]+)$/);
  });

  it('describes every operation in OpenAPI, with references that lead somewhere', async () => {
    const { body } = await server.call('GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const ids = new Set<string>();
    for (const [path, item] of Object.entries(body.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method);
        expect(ids.has(String(operation.operationId))).toBe(false);
        ids.add(String(operation.operationId));
        const parameters = (operation.parameters ?? []) as { name: string; in: string; required: boolean }[];
        const inPath = parameters.filter((one) => one.in === 'path');
        expect(inPath.map(({ name }) => name)).toEqual(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        );
        expect(inPath.every(({ required }) => required)).toBe(true);
        expect(Object.keys(operation.responses as object).length).toBeGreaterThan(0);
      }
    }
    for (const { name } of OPERATIONS) expect(ids).toContain(name);
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    for (const reference of references) {
      const target = reference
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], body);
      expect(target, reference).toBeDefined();
    }
  });

  it('shows everything on one page that runs nothing', async () => {
    const { body, headers } = await server.call('GET', '/docs');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const { http, name } of OPERATIONS) {
      expect(body).toContain(`id="${name}"`);
      expect(body).toContain(http.path);
    }
    expect(body).not.toContain('<script');
  });
});

describe('/api/events', () => {
  interface Told {
    readonly id: string;
    readonly event: string;
    readonly data: Record<string, unknown>;
  }

  /** Reads events until one is as expected. */
  async function follow(
    headers: Record<string, string>,
    work: () => Promise<unknown>,
    isLast: (events: Told[]) => boolean,
  ): Promise<Told[]> {
    const abort = new AbortController();
    const response = await fetch(`${server.server.url}/api/events`, { headers, signal: abort.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events: Told[] = [];
    let text = '';
    const decoder = new TextDecoder();
    let hasWorked = false;
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const [, id, event = '', data = ''] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/m.exec(part) ?? [];
        if (event !== '') events.push({ id: id!, event, data: JSON.parse(data) });
      }
      if (!hasWorked && events.some(({ event }) => event === 'ready')) {
        hasWorked = true;
        await work();
      }
      if (hasWorked && isLast(events)) break;
    }
    abort.abort();
    return events;
  }

  it('tells the user what changes, and no other', async () => {
    await server.call('POST', '/api/agents', { name: 'watched' });
    const adas = { 'longhand-user': 'eve' };
    await server.call('POST', '/api/sessions', { session_id: 'of-eve' }, adas);
    const events = await follow(
      adas,
      async () => {
        await server.call('POST', MEMORIES, memory('not for eve'));
        await server.call('POST', '/api/sessions/of-eve/memories', memory('for eve'), adas);
        await server.call('PUT', '/api/agents/watched/notes', { text: 'of me' });
        const batch = { session_id: 'of-eve', messages_batch: [{ id: 'q', role: 'user', content: 'hi' }] };
        await server.call('POST', '/api/chat/session/archive_messages', batch, adas);
        await server.call('PUT', '/api/agents/watched/notes', { text: 'of eve' }, adas);
      },
      (seen) => seen.some(({ event }) => event === 'notes-changed'),
    );
    expect(events.map(({ event }) => event)).toEqual([
      'ready',
      'memories-added',
      'transcript-archived',
      'notes-changed',
    ]);
    expect(JSON.stringify(events)).not.toContain('for eve');
    for (const { data } of events) expect(data).not.toHaveProperty('level');
    for (const { id } of events) expect(id).toMatch(/^[\w-]+$/);
    expect(events[0]!.data).toEqual({});
    expect(events[1]!.data.session_id).toBe('of-eve');
  });

  it('begins with ready, and reports nothing that was there before', async () => {
    const headers = { 'longhand-user': 'una' };
    await server.call('POST', '/api/agents', { name: 'old-hand' });
    await server.call('POST', '/api/sessions', { session_id: 'of-una' }, headers);
    await server.call('PUT', '/api/agents/old-hand/notes', { text: 'first' }, headers);
    // By another process, before a client listens: this process learns of it when one does.
    const other = await managerOf(server.storageRoot);
    const { notes } = await other.layers();
    await notes.apply('una', 'old-hand', { operation: 'overwrite', content: 'second' });
    const events = await follow(
      headers,
      async () => {
        await server.call('POST', '/api/sessions/of-una/memories', memory('new'), headers);
        // The versions of notes that were forgotten and written again start over.
        await notes.forget('una', 'old-hand');
        await server.call('PUT', '/api/agents/old-hand/notes', { text: 'again' }, headers);
      },
      (seen) => seen.some(({ event, data }) => event === 'notes-changed' && data.version === 1),
    );
    await other.close();
    const kinds = events.map(({ event }) => event);
    expect(kinds.slice(0, 3)).toEqual(['ready', 'memories-added', 'notes-changed']);
  });

  it.runIf(SUPPORTS.folder)('goes on when a person has saved what cannot be notes', async () => {
    const headers = { 'longhand-user': 'una' };
    const file = join(server.storageRoot, 'users/una/notes/old-hand.md');
    writeFileSync(file, 'half \0 a note');
    const events = await follow(
      headers,
      async () => writeFileSync(file, 'a whole note\n'),
      (seen) => seen.some(({ event }) => event === 'notes-changed'),
    );
    expect(events[0]!.event).toBe('ready');
  });

  it('watches the notes of agents that come later, here and in other processes', async () => {
    const headers = { 'longhand-user': 'uma' };
    await server.call('POST', '/api/sessions', { session_id: 'of-uma' }, headers);
    const other = await managerOf(server.storageRoot);
    const write = async (agentId: string): Promise<void> => {
      await (await other.layers()).notes.apply('uma', agentId, { operation: 'overwrite', content: 'x' });
    };
    const events = await follow(
      headers,
      async () => {
        await server.call('POST', '/api/agents', { name: 'later-here' });
        await write('later-here');
        await (await other.layers()).agents.ensure('later-there');
        await write('later-there');
      },
      (seen) => seen.filter(({ event }) => event === 'notes-changed').length === 2,
    );
    await other.close();
    const agents = events.filter(({ event }) => event === 'notes-changed').map(({ data }) => data.agent_id);
    expect(agents.sort()).toEqual(['later-here', 'later-there']);
  });

  it('tells who comes back that something may be missing', async () => {
    const headers = { 'longhand-user': 'eve', 'last-event-id': '7' };
    const [ready] = await follow(
      headers,
      async () => undefined,
      () => true,
    );
    expect(ready!.data).toEqual({ may_have_missed: true });
  });

  it('goes on from the last event that a client has seen: what changed since is reported', async () => {
    const headers = { 'longhand-user': 'olga' };
    for (const session_id of ['of-olga-1', 'of-olga-2', 'of-olga-3'])
      await server.call('POST', '/api/sessions', { session_id }, headers);
    const [before] = await follow(
      headers,
      async () => undefined,
      () => true,
    );
    await server.call('POST', '/api/sessions/of-olga-1/memories', memory('while away'), headers);
    await server.call('POST', '/api/sessions/of-olga-2/memories', memory('while away'), headers);
    const told = (seen: Told[]) =>
      seen.filter(({ event }) => event === 'session-changed').map(({ data }) => data.session_id);
    const events = await follow(
      { ...headers, 'last-event-id': before!.id },
      async () => undefined,
      (seen) => told(seen).length >= 2,
    );
    expect(events[0]!.data).toEqual({ may_have_missed: true, resumed: true });
    expect(told(events)).toEqual(expect.arrayContaining(['of-olga-1', 'of-olga-2']));
  });

  it.runIf(SUPPORTS.folder)('notices what other processes and people with an editor do', async () => {
    const headers = { 'longhand-user': 'ivy' };
    await server.call('POST', '/api/sessions', { session_id: 'of-ivy' }, headers);
    await server.call('PUT', '/api/agents/watched/notes', { text: 'before\n' }, headers);
    const other = await managerOf(server.storageRoot);
    const events = await follow(
      headers,
      async () => {
        await other.addMemory('of-ivy', { type: 'finding', content: { text: 'from elsewhere' } });
        writeFileSync(join(server.storageRoot, 'users/ivy/notes/watched.md'), 'after\n');
      },
      (seen) =>
        ['session-changed', 'notes-changed'].every((kind) => seen.some(({ event }) => event === kind)),
    );
    await other.close();
    expect(events.find(({ event }) => event === 'session-changed')!.data).toEqual({ session_id: 'of-ivy' });
  });
});

it('ends gracefully: what is under way is answered, streams end, a new request is refused', async () => {
  const own = await startTestServer();
  const stream = await fetch(`${own.server.url}/api/events`);
  await own.call('POST', '/api/sessions', { session_id: 's' });
  const writes = Array.from({ length: 20 }, () => own.call('POST', MEMORIES, memory('late')));
  await own.call('GET', '/healthz');
  const closing = own.server.close();
  const answers = await Promise.allSettled(writes);
  await closing;
  await stream.text();
  const acknowledged = answers.filter((one) => one.status === 'fulfilled' && one.value.status === 201);
  await expect(own.call('GET', '/healthz')).rejects.toThrow();
  const manager = await managerOf(own.storageRoot);
  expect((await manager.getSessionStats('s')).total_entries).toBeGreaterThanOrEqual(acknowledged.length);
  await manager.close();
  await own.stop();
});
