import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer } from './http-fixture.ts';
import { callTool, connectStdio } from './mcp-clients.ts';
import { runCli, runJson, spawnCli } from './run-cli.ts';
import { managerOf, putConfig } from './store-place.ts';

const HOUR_MS = 3_600_000;

/** A zone without summer time where it is now this hour of the day. */
function zoneAt(hour: number): string {
  const ahead = hour - new Date().getUTCHours();
  const within = ahead < -12 ? ahead + 24 : ahead;
  return `Etc/GMT${within > 0 ? '-' : '+'}${Math.abs(within)}`;
}

/** Six hours ago it was yesterday in the one, and today in the other. */
const AFTER_MIDNIGHT = zoneAt(3);
const AT_NOON = zoneAt(12);

let root: string;
let timestamp: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'longhand-zone-'));
  await using manager = await managerOf(root);
  await manager.createSession('me', { session_id: 's' });
  timestamp = new Date(Date.now() - 6 * HOUR_MS).toISOString();
  await manager.addMemory('s', {
    id: 'mem_1',
    // A finding would stand in every prompt, asked for or not.
    type: 'conversation',
    content: 'The boiler was serviced',
    timestamp,
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const ofYesterdayInUtc = () => (new Date(timestamp).getUTCDate() === new Date().getUTCDate() ? 0 : 1);
const store = () => ['--storage-root', root];
const YESTERDAY = ['list', '--within', 'yesterday', '--json'];

describe('days', () => {
  it('are those of the machine at the command line, unless a flag, the environment or the store names others', async () => {
    const listed = async (args: readonly string[], env: Record<string, string>): Promise<number> => {
      const { stdout } = await spawnCli([...YESTERDAY, ...store(), ...args], { env });
      return (JSON.parse(stdout) as { memories: unknown[] }).memories.length;
    };
    expect(await listed([], { TZ: AFTER_MIDNIGHT })).toBe(1);
    expect(await listed([], { TZ: AT_NOON })).toBe(0);
    expect(await listed(['--time-zone', AT_NOON], { TZ: AFTER_MIDNIGHT })).toBe(0);
    expect(await listed([], { TZ: AT_NOON, LONGHAND_TIME_ZONE: AFTER_MIDNIGHT })).toBe(1);
    await putConfig(root, { time_zone: AFTER_MIDNIGHT });
    expect(await listed([], { TZ: AT_NOON })).toBe(1);
    expect(await listed(['--time-zone', 'system'], { TZ: AT_NOON })).toBe(0);
  });

  it('are those of the machine over stdio', async () => {
    for (const [TZ, count] of [
      [AFTER_MIDNIGHT, 1],
      [AT_NOON, 0],
    ] as const) {
      const client = await connectStdio(root, '2025', { env: { TZ } });
      const found = await callTool(client, 'search_memory', { query: 'boiler', within: 'yesterday' });
      expect(found.results).toHaveLength(count);
      await client.close();
    }
  });

  it('are those of the request, the setting, or UTC on a server', async () => {
    for (const [flags, count] of [
      [{}, undefined],
      [{ 'time-zone': AFTER_MIDNIGHT }, 1],
      [{ 'time-zone': AT_NOON }, 0],
    ] as const) {
      const server = await startTestServer({ flags, storageRoot: root });
      const ask = async (path: string, more: object) =>
        (await server.call('POST', path, { within: 'yesterday', ...more })).body.memories.length;
      // In UTC, midnight or six o'clock may pass between the question and its answer.
      const possible = [count ?? ofYesterdayInUtc()];
      const found = await ask('/api/search', {});
      possible.push(count ?? ofYesterdayInUtc());
      expect(possible).toContain(found);
      expect(await ask('/api/search', { time_zone: AFTER_MIDNIGHT })).toBe(1);
      expect(await ask('/api/sessions/s/memories/query', { time_zone: AT_NOON })).toBe(0);
      const page = await server.call(
        'GET',
        `/api/sessions/s/memories?within=yesterday&time_zone=${encodeURIComponent(AFTER_MIDNIGHT)}`,
      );
      expect(page.body.memories).toHaveLength(1);
      await server.stop();
    }
  });

  it('are those of the header or of the chat, for what is said there', async () => {
    const server = await startTestServer({ storageRoot: root });
    // Of yesterday where it is noon, and of the day before where it is after midnight.
    await server.call('POST', '/api/sessions/s/memories', {
      ...{ id: 'mem_2', type: 'conversation', content: 'The chimney was swept' },
      timestamp: new Date(Date.now() - 32 * HOUR_MS).toISOString(),
    });
    const query = 'What happened yesterday?';
    const asked = async (path: string, body: object = {}, headers: Record<string, string> = {}) => {
      const say = async (text: string) => {
        const said =
          path === '/api/chat' ? { new_messages: [{ role: 'user', content: text }] } : { prompt: text };
        const answer = await server.call('POST', path, { ...said, ...body }, headers);
        expect(answer.status).toBe(200);
        return answer.body;
      };
      const { pieces } = (await say(query)).manifest;
      // Recalled memories are printed oldest first; their scores say which one was meant.
      const recalled = pieces
        .filter(({ section }) => section === 'memories')
        .map(({ source, score }) => ({ ...(source as { id: string }), ...(score as { relevance: number }) }))
        .reduce((best, one) => (one.relevance > best.relevance ? one : best));
      const { tools } = await say(`use search_memory ${JSON.stringify({ query })}`);
      const { results } = JSON.parse(String(tools[0]!.output)) as { results: { memory_key: string }[] };
      return [recalled.id, results[0]!.memory_key];
    };
    for (const [time_zone, id] of [
      [AFTER_MIDNIGHT, 'mem_1'],
      [AT_NOON, 'mem_2'],
    ] as const) {
      const header = { 'longhand-time-zone': time_zone };
      expect(await asked('/api/chat', { time_zone })).toEqual([id, id]);
      expect(await asked('/agent/run', { time_zone })).toEqual([id, id]);
      expect(await asked('/api/chat', {}, header)).toEqual([id, id]);
      // Nearer to the question, the field wins.
      const other = { 'longhand-time-zone': time_zone === AT_NOON ? AFTER_MIDNIGHT : AT_NOON };
      expect(await asked('/api/chat', { time_zone }, other)).toEqual([id, id]);
      const search = { within: 'yesterday', sort_by: 'time' };
      const found = await server.call('POST', '/api/search', search, header);
      expect(found.body.memories.map((memory) => memory.id)).toEqual([id]);
    }
    await server.stop();
  });

  it('are deleted and forgotten as they are found, and a preview says which moments are meant', async () => {
    const server = await startTestServer({ storageRoot: root });
    // The first and the last half hour of 14 May in Berlin, and the half hours around them.
    for (const [id, timestamp] of [
      ['mem_before', '2026-05-13T21:30:00Z'],
      ['mem_first', '2026-05-13T22:30:00Z'],
      ['mem_last', '2026-05-14T21:30:00Z'],
      ['mem_behind', '2026-05-14T22:30:00Z'],
    ])
      await server.call('POST', '/api/sessions/s/memories', { id, content: 'Something', timestamp });
    const [day, time_zone] = ['2026-05-14', 'Europe/Berlin'];
    const time_range = { start: '2026-05-13T22:00:00.000Z', end: '2026-05-14T21:59:59.999Z' };
    const range = { start: day, end: day };
    const ids = async () =>
      (await server.call('GET', '/api/sessions/s/memories?sort_by=time')).body.memories.map(({ id }) => id);

    const found = await server.call('POST', '/api/search', { time_range: range, time_zone });
    expect(found.body.memories.map(({ id }) => id).sort()).toEqual(['mem_first', 'mem_last']);
    const byHeader = { 'longhand-time-zone': time_zone };
    for (const [zone, headers] of [
      [{ time_zone }, {}],
      [{}, byHeader],
    ] as const) {
      const deletion = { ...range, ...zone, dry_run: true };
      const path = '/api/sessions/s/memories/delete_by_time_range';
      expect((await server.call('POST', path, deletion, headers)).body).toMatchObject({
        ...{ would_delete: 2, time_range },
      });
      const preview = { time_range: range, ...zone };
      expect((await server.call('POST', '/api/privacy/preview', preview, headers)).body).toMatchObject({
        ...{ memories: 2, time_range },
      });
    }
    const flags = ['--from', day, '--to', day, '--time-zone', time_zone];
    expect(await runJson('forget', ...flags, '--dry-run', ...store())).toMatchObject({
      ...{ memories: 2, time_range },
    });
    const { stdout } = await runCli('forget', ...flags, '--dry-run', ...store());
    expect(stdout).toContain('2 memories (from 2026-05-14 00:00:00 UTC+2 to 2026-05-14 23:59:59 UTC+2)');
    expect(await ids()).toHaveLength(5);

    const request = { time_range: range, time_zone };
    const forgotten = await server.call('POST', '/api/privacy/forget', request);
    expect(forgotten.body).toMatchObject({ pieces: { memories: 2 }, time_range });
    expect(await ids()).toEqual(['mem_1', 'mem_behind', 'mem_before']);
    // In UTC it is another day.
    const inUtc = await server.call('POST', '/api/sessions/s/memories/delete_by_time_range', range);
    expect(inUtc.body).toEqual({
      deleted: 1,
      time_range: { start: '2026-05-14T00:00:00.000Z', end: '2026-05-14T23:59:59.999Z' },
    });
    expect(await ids()).toEqual(['mem_1', 'mem_before']);
    await server.stop();
  });

  it('are nowhere in a place that does not exist', async () => {
    const { exitCode, stderr } = await runCli('search', 'boiler', '--time-zone', 'Mars/Olympus', ...store());
    expect(exitCode).toBe(2);
    expect(stderr).toContain('timeZone must be the IANA name of a time zone such as "Europe/Berlin"');
    const server = await startTestServer({ storageRoot: root });
    const refused = [
      await server.call('POST', '/api/search', { text: 'boiler', time_zone: 'Mars/Olympus' }),
      await server.call('POST', '/api/search/sessions', { text: 'boiler', time_zone: 'Mars/Olympus' }),
      await server.call('GET', '/api/sessions/s/fading?time_zone=Mars'),
      await server.call('POST', '/api/sessions/s/memories/delete_by_time_range', {
        ...{ start: '2000-01-01', end: '2100-01-01', time_zone: 'Mars/Olympus' },
      }),
      await server.call('POST', '/api/privacy/forget', {
        ...{ time_range: { start: '2000-01-01', end: '2100-01-01' }, time_zone: 'Mars/Olympus' },
      }),
      await server.call('POST', '/api/chat', {
        ...{ new_messages: [{ role: 'user', content: 'Hello' }], session_id: 'chat' },
        ...{ time_zone: 'Mars/Olympus', stream: true },
      }),
      await server.call('POST', '/agent/run', { prompt: 'Hello', time_zone: 'Mars/Olympus' }),
    ];
    const header = { 'longhand-time-zone': 'Mars/Olympus' };
    const byHeader = await server.call('POST', '/api/search', { text: 'boiler' }, header);
    expect(byHeader).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(byHeader.body.detail).toContain(
      'The header longhand-time-zone must be the IANA name of a time zone',
    );
    for (const { status, body } of refused) {
      expect(status).toBe(400);
      expect(body.detail).toContain('time_zone must be the IANA name of a time zone');
    }
    // Nothing was said by the chat that was refused.
    expect((await server.call('GET', '/api/sessions/chat')).status).toBe(404);
    await server.stop();
    expect(await runJson('search', 'boiler', ...store())).toMatchObject({ memories: [{ id: 'mem_1' }] });
  });
});
