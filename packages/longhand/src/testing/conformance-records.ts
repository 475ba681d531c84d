import assert from 'node:assert/strict';
import type { ErrorCode } from '../core/errors.ts';
import { encodeLine } from '../core/line.ts';
import { readAfter, readLog } from '../core/read-log.ts';
import type { LogAddress, LogSlice, LogStore, RewritePlan, SessionAddress } from '../core/store.ts';
import type { Scene } from './memory-conformance.ts';

/** Records as the layers write them: the first field and the order are what salvage and light reading know. */
export function record(id: string, content: unknown = id): string {
  return JSON.stringify({ schema_version: 1, id, content });
}

export const SESSION: SessionAddress = { kind: 'session', id: 'sess_one' };
export const OTHER_SESSION: SessionAddress = { kind: 'session', id: 'sess_two' };
/** A name that no file system takes as it is. */
export const AGENT: LogAddress = { kind: 'agent', id: 'Ada / “the one” 🦆' };
export const OPENING = record('mem_opening');
export const NEW = { create: 'new' } as const;

export function keepAll({ lines }: LogSlice): RewritePlan {
  return { keep: lines.map((line) => ({ line })), append: [] };
}

/** The bytes of these records as a log's first lines, on every store. */
export function bytesOf(bodies: readonly string[], firstSeq = 1): number {
  return bodies.reduce((sum, body, i) => sum + Buffer.byteLength(encodeLine(body, firstSeq + i, true)), 0);
}

export function idsOf(slice: LogSlice): string[] {
  return slice.lines.map((line) => (JSON.parse(line.text) as { id: string }).id);
}

export function seqsOf(slice: LogSlice): (number | undefined)[] {
  return slice.lines.map((line) => line.seq);
}

export async function readIds(store: LogStore, log: LogAddress): Promise<string[]> {
  return idsOf(await readLog(store, log));
}

/** What is news since a position. */
export async function newsSince(...wanted: Parameters<typeof readAfter>): Promise<LogSlice> {
  const slice = await readAfter(...wanted);
  assert.ok(typeof slice === 'object');
  return slice;
}

export async function rejectsWith(code: ErrorCode, work: () => unknown): Promise<void> {
  await assert.rejects(async () => work(), { code });
}

/** A word that no byte may hold once it is gone, and what is left of it when words become stems. */
export const CANARY = 'wombatword';
export const STEM = 'wombatwor';

/** The canary, and these names, are in no byte of the store. */
export async function assertErased({ openAnother }: Scene, ...names: readonly string[]): Promise<void> {
  const { layers } = await openAnother();
  const check = await layers.privacy.verifyErased([STEM, ...names]);
  assert.deepEqual(check.found, []);
  assert.ok(check.isErased && check.bytesScanned > 0);
}
