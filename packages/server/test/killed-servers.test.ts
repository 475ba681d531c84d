import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { sized, withSeed } from '../../longhand/test/campaign.ts';
import { startServer } from '../../longhand/test/postgres/server.ts';
import { createChance } from '../../longhand/test/processes/chance.ts';
import { call } from './http-fixture.ts';
import { endProcess, type ServerProcess, startServerProcess } from './server-process.ts';

/**
 * Three servers on one database, each with a disk of its own, of which one after the other is killed at any moment and
 * started again. People chat and archive through whichever server answers, and ask again where none did.
 */
const SERVERS = 3;
const PEOPLE = 4;
const ARCHIVE = '/api/chat/session/archive_messages';

interface Said {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

describe.each([
  ['local', sized(20, 600)],
  ['postgres', sized(10, 400)],
] as const)('three servers with the spool %s', (spool, kills) => {
  it('lose no acknowledged message when they are killed again and again, and double none', () =>
    withSeed((seed) => campaign(seed, spool, kills)));
});

async function campaign(seed: number, spool: string, kills: number): Promise<void> {
  const chance = createChance(seed);
  const folder = mkdtempSync(join(tmpdir(), 'longhand-three-'));
  const postgres = await startServer();
  const root = new pg.Client(postgres.connection());
  await root.connect();
  await root.query('CREATE ROLE keeper LOGIN CREATEROLE');
  await root.query('CREATE DATABASE memory OWNER keeper');
  await root.end();
  const { host, port } = postgres.connection();
  const start = (i: number): Promise<ServerProcess> =>
    startServerProcess(folder, {
      'database-url': `postgres:///memory?host=${encodeURIComponent(host)}&port=${port}&user=keeper`,
      'state-folder': join(folder, `server-${i}`),
      'write-behind-every-messages': 5,
      'write-behind-every-seconds': 0.5,
      'write-behind-spool': spool,
      'limits-headers-seconds': 600,
      'limits-request-seconds': 3_600,
    });
  const servers: (ServerProcess | undefined)[] = [];
  for (let i = 0; i < SERVERS; i++) servers.push(await start(i));

  const acknowledged = new Map<string, Said & { readonly session: string }>();
  const refused: unknown[] = [];
  let isOver = false;
  let [asked, archived] = [0, 0];
  const anyUrl = (): string | undefined => servers[chance.below(SERVERS)]?.url;
  /** A server that is gone has acknowledged nothing; one that is busy with another's turn says so. */
  const tried = async (work: (url: string) => Promise<void>): Promise<void> => {
    const url = anyUrl();
    await (url === undefined ? Promise.reject(new Error('killed')) : work(url)).catch(
      () => new Promise((resolve) => setTimeout(resolve, 20)),
    );
  };
  const refuse = (answer: { readonly status: number; readonly body: unknown }): boolean => {
    if (answer.status === 200) return false;
    if (answer.status !== 503 && answer.status !== 409) refused.push(answer.body);
    return true;
  };
  const person = async (session: string): Promise<void> => {
    const held: Said[] = [];
    let count = 0;
    const chat = async (): Promise<void> => {
      while (!isOver) {
        const question: Said = {
          id: `${session}-q${count}`,
          role: 'user',
          content: `Number ${count} please`,
        };
        await tried(async (url) => {
          const answer = await call(url, 'POST', '/api/chat', {
            new_messages: [question],
            session_id: session,
          });
          if (refuse(answer)) return;
          if (answer.body.code !== undefined) return;
          const said = {
            id: answer.body.message_id,
            role: 'assistant' as const,
            content: answer.body.answer,
          };
          for (const one of [question, said]) {
            acknowledged.set(one.id, { ...one, session });
            held.push(one);
          }
          count++;
          asked++;
        });
      }
    };
    const archive = async (): Promise<void> => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        await tried(async (url) => {
          const batch = held.slice(-20);
          if (batch.length === 0) return;
          const body = { session_id: session, messages_batch: batch };
          const headers = { 'idempotency-key': `${session}-${batch.at(-1)!.id}` };
          if (!refuse(await call(url, 'POST', ARCHIVE, body, headers))) archived++;
        });
      }
    };
    await Promise.all([chat(), archive()]);
  };
  const sessions = Array.from({ length: PEOPLE }, (_, i) => `person-${i}`);
  for (const session of sessions)
    await call(servers[0]!.url, 'POST', '/api/sessions', { session_id: session });
  const people = sessions.map(person);
  for (let kill = 0; kill < kills && refused.length === 0; kill++) {
    // By what has been done, not by the clock: the moment is in the middle of the work on any machine.
    const wanted = asked + archived + 1 + chance.below(8);
    while (asked + archived < wanted && refused.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setTimeout(resolve, chance.next() * 30));
    const i = chance.below(SERVERS);
    const { child } = servers[i]!;
    servers[i] = undefined;
    await endProcess(child, 'SIGKILL');
    servers[i] = await start(i);
  }
  isOver = true;
  await Promise.all(people);
  expect(refused).toEqual([]);
  for (const server of servers) expect(await endProcess(server!.child, 'SIGTERM')).toBe(0);

  const { child, url } = await start(0);
  for (const session of sessions) {
    const kept = await everyMessage(url, session);
    const ids = kept.map(({ id }) => id);
    expect(new Set(ids).size, 'nothing is there twice').toBe(ids.length);
    const own = [...acknowledged.values()].filter((said) => said.session === session);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ id }) => !ids.includes(id))).toEqual([]);
    for (const { id, content } of kept) expect(content).toBe(acknowledged.get(id)?.content ?? content);
    // A question has one answer, however often and wherever it was asked.
    const questions = kept.filter(({ role }) => role === 'user').length;
    expect(kept.length - questions).toBeLessThanOrEqual(questions);
    const last = own.filter(({ role }) => role === 'user').at(-1)!;
    const { id, role, content } = last;
    const again = await call(url, 'POST', '/api/chat', {
      new_messages: [{ id, role, content }],
      session_id: session,
    });
    expect(acknowledged.get(again.body.message_id)?.content).toBe(again.body.answer);
  }
  expect(archived).toBeGreaterThan(0);
  expect(await endProcess(child, 'SIGTERM')).toBe(0);
  await postgres.stop();
  rmSync(folder, { recursive: true });
}

async function everyMessage(url: string, session: string): Promise<Said[]> {
  const all: Said[] = [];
  for (;;) {
    const after = all.length === 0 ? '' : `&after=${all.at(-1)!.id}`;
    const { body } = await call(url, 'GET', `/api/chat/sessions/${session}/messages?limit=1000${after}`);
    all.push(...(body.messages as unknown as readonly Said[]));
    if (!body.has_more) return all;
  }
}
