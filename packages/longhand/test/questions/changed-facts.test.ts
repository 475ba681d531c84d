import { beforeAll, expect, test } from 'vitest';
import { type FoundMemory, MemoryManager, MemoryStore } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { CHANGED_FACTS } from './changed-facts.ts';

/**
 * Two hundred facts that change, with the word vectors that are installed and without timing. Saved by one person, each names
 * the old one among two hundred; recalled, they are dealt out to twenty people, so that facts about the same subject do not compete.
 */
const START_MS = Date.parse('2026-03-02T10:00:00Z');
const HOUR_MS = 3_600_000;
const LEAST_NAMED = 0.8;
const PEOPLE = 20;

let manager: MemoryManager;
const clock = new FakeClock(START_MS);
/** By pair: the id of the old fact, and whether `similar` named it when the new one was saved. */
const oldIds: string[] = [];
let named: readonly boolean[] = [];

beforeAll(async () => {
  const open = (): MemoryManager => new MemoryManager({ store: new MemoryStore(), clock });
  manager = open();
  const without = open();
  const idsWithout: string[] = [];
  for (const [at, { type, old }] of CHANGED_FACTS.entries()) {
    oldIds.push((await manager.remember(personOf(at), old, { type })).id);
    idsWithout.push((await without.remember('alex', old, { type })).id);
    clock.advance(HOUR_MS);
  }
  const saved: boolean[] = [];
  for (const [at, { type, now }] of CHANGED_FACTS.entries()) {
    const { similar } = await without.remember('alex', now, { type });
    saved.push(similar.some(({ id }) => id === idsWithout[at]));
    await manager.remember(personOf(at), now, { type, replaces: [oldIds[at]!] });
    clock.advance(HOUR_MS);
  }
  named = saved;
  await without.close();
  return () => manager.close();
});

const personOf = (at: number): string => `person ${at % PEOPLE}`;
const textOf = ({ content }: FoundMemory): unknown => content.text;

test('two hundred different facts have changed', () => {
  expect(CHANGED_FACTS).toHaveLength(200);
  expect(new Set(CHANGED_FACTS.flatMap(({ old, now }) => [old, now])).size).toBe(400);
});

test('what replaces a fact is the first that is recalled, and the old one is not', async () => {
  const wrong: unknown[] = [];
  for (const [at, { old, now, question }] of CHANGED_FACTS.entries()) {
    const texts = (await manager.recall(personOf(at), question)).map(textOf);
    if (texts[0] !== now || texts.includes(old)) wrong.push([question, now, texts.slice(0, 2)]);
  }
  expect(wrong).toEqual([]);
});

test('a replaced fact is in no prompt', async () => {
  const replaced = new Set(oldIds);
  const seen: unknown[] = [];
  for (const [at, { old, now, question }] of CHANGED_FACTS.entries()) {
    const asked = [{ role: 'user' as const, content: question }];
    const { messages, manifest } = await manager.context(personOf(at), asked);
    const prompt = JSON.stringify(messages);
    const shown = manifest.pieces.filter(({ source }) => replaced.has(source.id));
    if (shown.length > 0 || (prompt.includes(old) && !now.includes(old))) seen.push([question, old]);
  }
  expect(seen).toEqual([]);
});

test('a fact that changes names the one before it when it is saved', () => {
  const missed = CHANGED_FACTS.filter((_, at) => !named[at]).map(({ old, now }) => [old, now]);
  expect(1 - missed.length / CHANGED_FACTS.length).toBeGreaterThanOrEqual(LEAST_NAMED);
});
