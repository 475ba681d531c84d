import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sized, withSeed } from '../../longhand/test/campaign.ts';
import { createChance } from '../../longhand/test/processes/chance.ts';
import { call } from './http-fixture.ts';
import { endProcess as end, startServerProcess as start } from './server-process.ts';

/**
 * A browser with two tabs, and a server that is killed at any moment. One tab chats, and sends a message again until it
 * has an answer. Both hold the whole conversation, and archive it again and again: with a key, with a batch id, and
 * with a beacon whose answer the page does not wait for.
 */
const SESSION = 's';
const ARCHIVE = '/api/chat/session/archive_messages';
/** Under way at one time. */
const MAX_BEACONS = 8;

interface Said {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

it('loses nothing of a chat when it is killed in the middle, and doubles nothing', async () => {
  await withSeed(async (seed) => {
    const chance = createChance(seed);
    const root = mkdtempSync(join(tmpdir(), 'longhand-killed-'));
    const rounds = sized(50, 1_000);
    const flags = {
      'write-behind-every-messages': 5,
      'write-behind-every-seconds': 0.2,
      // A machine that is slow with all these connections and bodies is no slow client.
      'limits-headers-seconds': 600,
      'limits-request-seconds': 3_600,
    };
    const acknowledged = new Map<string, Said>();
    const held: Said[] = [];
    let question: Said = { id: 'q0', role: 'user', content: 'Number 0 please' };
    const refused: unknown[] = [];
    let asked = 0;
    let archived = 0;

    for (let round = 0; round < rounds; round++) {
      const { child, url } = await start(root, flags);
      if (round === 0) await call(url, 'POST', '/api/sessions', { session_id: SESSION });
      let isKilled = false;
      // A server that is gone has acknowledged nothing.
      const untilKilled = async (work: () => Promise<void>): Promise<void> => {
        while (!isKilled) await work().catch(() => undefined);
      };
      const chat = async (): Promise<void> => {
        const body = { new_messages: [question], session_id: SESSION };
        const answer = await call(url, 'POST', '/api/chat', body);
        if (answer.status !== 200) refused.push(answer.body);
        if (answer.status !== 200) return;
        const said = { id: answer.body.message_id, role: 'assistant' as const, content: answer.body.answer };
        for (const one of [question, said]) {
          acknowledged.set(one.id, one);
          held.push(one);
        }
        asked++;
        question = { id: `q${asked}`, role: 'user', content: `Number ${asked} please` };
      };
      const archive = async (way: 'key' | 'batch'): Promise<void> => {
        const batch = [...held];
        const name = `${way}-${round}-${batch.length}`;
        const body = {
          session_id: SESSION,
          messages_batch: batch,
          ...(way === 'batch' ? { batch_id: name } : {}),
        };
        const headers = way === 'key' ? { 'idempotency-key': name } : {};
        const answer = await call(url, 'POST', ARCHIVE, body, headers as Record<string, string>);
        if (answer.status === 200) archived++;
        else refused.push(answer.body);
      };
      let beacons = 0;
      const beacon = async (): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        // On a slow machine they would pile up faster than they are answered, and nothing else would be.
        if (beacons === MAX_BEACONS) return;
        beacons++;
        const body = JSON.stringify({ session_id: SESSION, messages_batch: [...held, question] });
        const headers = { 'content-type': 'application/json' };
        const sent = fetch(url + ARCHIVE, { method: 'POST', body, headers, keepalive: true });
        void sent.then(
          () => beacons--,
          () => beacons--,
        );
      };
      const working = Promise.all([
        untilKilled(chat),
        untilKilled(() => archive('key')),
        untilKilled(() => archive('batch')),
        untilKilled(beacon),
      ]);
      // By what has been done, not by the clock: the moment is in the middle of the work on any machine.
      const [isChat, before] = [round % 2 === 0, { asked, archived }];
      const wanted = 1 + chance.below(isChat ? 3 : 6);
      const isTime = (): boolean => (isChat ? asked - before.asked : archived - before.archived) >= wanted;
      while (!isTime() && refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await new Promise((resolve) => setTimeout(resolve, chance.next() * 30));
      isKilled = true;
      await end(child, 'SIGKILL');
      await working;
    }

    const { child, url } = await start(root, flags);
    const kept = await everyMessage(url);
    const ids = kept.map(({ id }) => id);
    expect(new Set(ids).size, 'nothing is there twice').toBe(ids.length);
    expect([...acknowledged.keys()].filter((id) => !ids.includes(id))).toEqual([]);
    expect(refused).toEqual([]);
    expect(asked).toBeGreaterThan(0);
    expect(archived).toBeGreaterThan(0);
    for (const { id, content } of kept) expect(content).toBe(acknowledged.get(id)?.content ?? content);
    // A question has one answer, however often it was asked.
    const questions = kept.filter(({ role }) => role === 'user').length;
    expect(kept.length - questions).toBeLessThanOrEqual(questions);
    for (const one of [...acknowledged.values()].filter(({ role }) => role === 'user').slice(-5)) {
      const again = await call(url, 'POST', '/api/chat', { new_messages: [one], session_id: SESSION });
      expect(acknowledged.get(again.body.message_id)?.content).toBe(again.body.answer);
    }
    const body = { session_id: SESSION, messages_batch: kept };
    expect((await call(url, 'POST', ARCHIVE, body)).status).toBe(200);
    expect((await everyMessage(url)).map(({ id }) => id)).toEqual(ids);
    expect(await end(child, 'SIGTERM')).toBe(0);
    rmSync(root, { recursive: true });
  });
});

async function everyMessage(url: string): Promise<Said[]> {
  const all: Said[] = [];
  for (;;) {
    const after = all.length === 0 ? '' : `&after=${all.at(-1)!.id}`;
    const { body } = await call(url, 'GET', `/api/chat/sessions/${SESSION}/messages?limit=1000${after}`);
    all.push(...(body.messages as unknown as readonly Said[]));
    if (!body.has_more) return all;
  }
}
