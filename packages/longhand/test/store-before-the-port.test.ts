import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { FakeClock } from '../src/testing/index.ts';

/**
 * A store that the library wrote before the store port became small (18 November 2026), with what that library said of it
 * at a fixed time: the store opens, is sound, answers, and gives the same exports and the same prompt, to the byte.
 */
const EARLIER = join(import.meta.dirname, 'fixtures/store-before-the-port');
const NOW_MS = Date.parse('2026-11-18T12:00:00.000Z');
const EXPECTED = JSON.parse(readFileSync(`${EARLIER}.expected.json`, 'utf8')) as {
  readonly answers: Readonly<Record<string, readonly string[]>>;
  readonly exports: Readonly<Record<string, readonly string[]>>;
  readonly sessions: Readonly<Record<string, string>>;
  readonly verified: object;
  readonly context: readonly object[];
};

let root: string;
let manager: MemoryManager;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-before-'));
  cpSync(EARLIER, root, { recursive: true });
  manager = new MemoryManager({ storageRoot: root, clock: new FakeClock(NOW_MS) });
});
afterEach(async () => {
  await manager.close();
  rmSync(root, { recursive: true });
});

it('is sound', async () => {
  expect(await manager.verify()).toMatchObject(EXPECTED.verified);
});

it('exports users and sessions as they were', async () => {
  const { privacy } = await manager.layers();
  for (const [user, expected] of Object.entries(EXPECTED.exports)) {
    const lines: string[] = [];
    for await (const line of privacy.exportUser(user)) lines.push(line);
    expect(lines).toEqual(expected);
  }
  for (const [session, expected] of Object.entries(EXPECTED.sessions))
    expect(await manager.exportSession(session, 'jsonl')).toBe(expected);
});

it('answers as it did', async () => {
  for (const [question, expected] of Object.entries(EXPECTED.answers)) {
    const [user, text] = question.split(': ') as [string, string];
    expect(
      (await manager.recall(user, text)).map(({ id }) => id),
      question,
    ).toEqual(expected);
  }
});

it('gives the same prompt', async () => {
  const { messages } = await manager.assembleContext({
    session: 'office',
    user: 'ada',
    agent: 'scout',
    messages: [{ role: 'user', content: 'Where do we meet, and when is the rent due?' }],
  });
  expect(messages).toEqual(EXPECTED.context);
});
