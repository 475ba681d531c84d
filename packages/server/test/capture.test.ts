import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startTestServer } from './http-fixture.ts';
import { runJson, spawnCli } from './run-cli.ts';

/** Large outputs are kept out of prompts, whichever way they come. */
const root = mkdtempSync(join(tmpdir(), 'longhand-capture-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const LINES = Array.from({ length: 400 }, (_, i) => `step ${i} of the build: compiled module ${i * 7}`);
const LOG = [...LINES.slice(0, 200), 'error: xylophone is missing', ...LINES.slice(200)].join('\n');

it.each<[string, string, { readonly session_id?: string }]>([
  ['a session', '/api/context', { session_id: 'work' }],
  ['a session, by the verbs', '/api/memories/context', { session_id: 'work' }],
  ['the session of the day', '/api/memories/context', {}],
])('keeps the outputs of tools that a context of %s is asked for', async (_, path, place) => {
  const server = await startTestServer();
  await server.call('POST', '/api/sessions', { session_id: 'work' });
  const turn = [
    { id: 'm1', role: 'user', content: 'Why does the build fail?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'c1', name: 'build', arguments: {} },
        { id: 'c2', name: 'whoami', arguments: {} },
        { id: 'c3', name: 'retrieve_memory', arguments: { memory_key: 'x' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: LOG },
    { role: 'tool', tool_call_id: 'c2', content: 'ada' },
    { role: 'tool', tool_call_id: 'c3', content: LOG },
  ];
  const ask = async () =>
    (await server.call('POST', path, { ...place, messages: turn, budget: 50_000 })).body;
  const first = await ask();
  const tools = first.messages.filter(({ role }: { role: string }) => role === 'tool');
  expect(tools[0]!.content).toMatch(
    /Tool 'build' called\. Output stored in \[MemoryRef: output_\w+ - .*401 lines.*\]/,
  );
  expect(tools[0]!.content).not.toContain('xylophone');
  expect(tools[1]!.content).toContain('ada');
  // What was retrieved was asked for.
  expect(tools[2]!.content).toContain('xylophone');
  // The same turn again, as clients send it at every step: the same bytes, and nothing kept twice.
  const second = await ask();
  expect(second.messages).toEqual(first.messages);
  const { details } = (await server.call('GET', '/api/details')).body;
  expect(details).toHaveLength(1);
  expect(details[0]).toMatchObject({
    session_id: place.session_id ?? expect.stringMatching(/^day-/),
    provenance: { author: 'tool', trust: 'untrusted' },
    content_metadata: { tool: 'build', prompt_id: 'm1', tool_call_id: 'c1' },
  });
  const key = details[0]!.memory_key;
  const found = await server.call('GET', `/api/details/${key}?search=xylophone`);
  expect(found.body.matches).toEqual([{ line: 201, text: 'error: xylophone is missing' }]);
  await server.stop();
});

it('keeps nothing for a key that may only read', async () => {
  const server = await startTestServer({ flags: { 'auth-enabled': true } });
  const { manager } = server.services;
  await manager.createSession('ada', { session_id: 'work' });
  const key = await server.services.gate.keys.create({ label: 'reader', access: 'read', user_id: 'ada' });
  const as = { authorization: `Bearer ${key.token}` };
  const turn = [
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'build', arguments: {} }] },
    { role: 'tool', tool_call_id: 'c1', content: LOG },
  ];
  const asked = { session_id: 'work', messages: turn, budget: 50_000 };
  const { status, body } = await server.call('POST', '/api/context', asked, as);
  expect([status, JSON.stringify(body).includes('xylophone')]).toEqual([200, true]);
  expect((await server.call('POST', '/api/capture', { session_id: 'work', output: LOG }, as)).status).toBe(
    403,
  );
  expect(await (await manager.layers()).details.list('ada')).toEqual([]);
  await server.stop();
});

it('keeps an output that is sent to /api/capture, once', async () => {
  const server = await startTestServer();
  await server.call('POST', '/api/sessions', { session_id: 'work' });
  const send = (body: object) => server.call('POST', '/api/capture', { session_id: 'work', ...body });
  const short = await send({ output: 'ok' });
  expect(short.body).toEqual({ text: 'ok', is_captured: false });
  const long = await send({ output: LOG, command: 'make all', status: 'exit code 2', call_id: 'c1' });
  expect(long.status).toBe(200);
  expect(long.body.text).toMatch(
    /^Command 'make all' executed\. Logs stored in \[MemoryRef: .*Status: Exit code 2\.$/,
  );
  expect((await send({ output: LOG, call_id: 'c1' })).body.memory_key).toBe(long.body.memory_key);
  expect((await send({ output: 'tiny', always: true })).body.is_captured).toBe(true);
  expect((await send({ output: '', always: true })).body).toEqual({ text: '', is_captured: false });
  expect((await server.call('GET', '/api/details')).body.details).toHaveLength(2);
  expect((await send({})).status).toBe(400);
  expect((await server.call('POST', '/api/capture', { session_id: 'none', output: LOG })).status).toBe(404);
  await server.stop();
});

it('runs a command, passes on what it says and how it ends, and keeps the output', async () => {
  const store = ['--storage-root', root];
  const script = `process.stdout.write(${JSON.stringify(`${LOG}\n`)}); process.stderr.write('careful\\n'); process.exitCode = 3`;
  const ran = await spawnCli(['run', ...store, '--', process.execPath, '-e', script]);
  expect([ran.exitCode, ran.stdout]).toEqual([3, `${LOG}\n`]);
  expect(ran.stderr).toContain('careful\n');
  const [, key] = /\[MemoryRef: (\S+) - /.exec(ran.stderr)!;
  expect(ran.stderr).toContain('Status: Exit code 3.');
  const shown = await runJson<{ content: string }>('show', key!, ...store, '--search', 'xylophone');
  expect(JSON.stringify(shown)).toContain('xylophone is missing');

  const quiet = await spawnCli(['run', '--quiet', ...store, '--', process.execPath, '-e', script]);
  expect(quiet.stdout).toMatch(/^Command '.*' executed\. Logs stored in \[MemoryRef: .*\n$/);
  expect(quiet.exitCode).toBe(3);
  const short = await spawnCli(['run', '-q', ...store, '--', 'echo', 'hello']);
  expect([short.stdout, short.exitCode]).toEqual(['hello\n', 0]);
  const json = await spawnCli(['run', '--json', ...store, '--', 'echo', '--user', 'x']);
  expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 0, is_captured: true });
  expect(json.stderr).toContain('--user x\n');

  const none = await spawnCli(['run', ...store, '--', 'no-such-command-here']);
  expect([none.exitCode, none.stderr]).toEqual([127, expect.stringContaining('There is no command')]);
  const killed = await spawnCli(['run', ...store, '--', 'sh', '-c', 'kill -9 $$']);
  expect(killed.exitCode).toBe(137);
  const unknown = await spawnCli(['run', ...store, 'ls', '--color']);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('behind --')]);
});

it('passes on what a command reads from standard input', async () => {
  const piped = await spawnCli(['run', '-q', '--storage-root', root, '--', 'cat'], { input: 'from a pipe' });
  expect(piped.stdout).toBe('from a pipe\n');
});

it('forgets by text over HTTP, and nothing where no memory holds it', async () => {
  const server = await startTestServer();
  await server.call('POST', '/api/sessions', { session_id: 'work' });
  const add = (content: string) => server.call('POST', '/api/sessions/work/memories', { content });
  for (const content of ['The code is 4711', 'the  CODE is 4711 again', 'Tea is green', 'Code name: walrus'])
    await add(content);
  const preview = await server.call('POST', '/api/privacy/preview', { text: 'the code is 4711' });
  const items = preview.body.items as { text: string; reason: string }[];
  expect(items.map(({ text }) => text).sort()).toEqual(['The code is 4711', 'the CODE is 4711 again']);
  for (const path of ['/api/privacy/forget', '/api/memories/forget']) {
    expect((await server.call('POST', path, { text: 'nothing holds this' })).status, path).toBe(404);
    expect((await server.call('POST', path, { text: 'tea', ids: ['mem_x'] })).status, path).toBe(400);
  }
  expect((await server.call('POST', '/api/privacy/forget', { text: 'the code is 4711' })).status).toBe(200);
  expect((await server.call('POST', '/api/memories/forget', { text: 'walrus' })).status).toBe(200);
  const left = await server.call('POST', '/api/search', { text: '*' });
  expect(left.body.memories.map(({ content }) => content.text)).toEqual(['Tea is green']);
  await server.stop();
});
