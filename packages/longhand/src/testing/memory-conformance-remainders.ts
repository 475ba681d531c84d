import assert from 'node:assert/strict';
import type { LogAddress, LogStore } from '../core/store.ts';
import type { ForgetRequest } from '../privacy/forget-request.ts';
import type { PieceCounts } from '../privacy/piece-counts.ts';
import { TOOLS } from '../tools/index.ts';
import { assertErased, CANARY } from './conformance-records.ts';
import { DAY_MS, type Scene, START_MS, type WithMemory } from './memory-conformance.ts';

const LOG: LogAddress = { kind: 'session', id: 'chat' };
const TOPIC = { user: 'ada', topic: 'secret' } as const;
const TIME = { user: 'ada', timeRange: { start: '2026-03-01', end: '2026-03-03' } } as const;
const IDS = { user: 'ada', ids: ['mem_secret'] } as const;

/** What no reader gets any more, but still stands in a file: a preview counts it, and forgetting takes it out. */
export function remaindersConformance(withMemory: WithMemory): void {
  for (const request of [TOPIC, TIME, IDS, { agent: 'spy' }]) {
    withMemory(`forgets what was deleted before, by ${nameOf(request)}`, async (scene) => {
      await start(scene);
      await scene.manager.deleteMemory('chat', 'mem_secret');
      await forgetsWhole(scene, request, { memories: 1 });
    });
  }

  for (const request of [TOPIC, TIME]) {
    withMemory(`forgets a line that cannot be read, by ${nameOf(request)}`, async (scene) => {
      await start(scene);
      await spoil(scene.store);
      await forgetsWhole(scene, request, { memories: 0, damaged_lines: 1 });
    });
  }

  withMemory('forgets a line that was set aside, by the id of its memory', async (scene) => {
    await start(scene);
    await spoil(scene.store);
    await scene.manager.compactSession('chat');
    await forgetsWhole(scene, IDS, { memories: 1 });
  });

  withMemory('forgets a line that names what is meant somewhere', async (scene) => {
    await start(scene);
    await spoil(scene.store, '"id"', '"was"');
    await forgetsWhole(scene, IDS, { memories: 0, damaged_lines: 1 });
  });

  withMemory('forgets an earlier text that was of the topic, and keeps the memory', async (scene) => {
    await start(scene);
    await scene.manager.updateMemory('chat', 'mem_secret', {
      content: { text: 'put right' },
      tags: ['open'],
    });
    await forgetsWhole(scene, TOPIC, { memories: 1 });
    assert.equal((await scene.manager.getMemory('chat', 'mem_secret'))?.content.text, 'put right');
  });

  withMemory('forgets by the tool what only a damaged line still holds', async (scene) => {
    await start(scene);
    await spoil(scene.store);
    await scene.manager.compactSession('chat');
    const principal = { account_id: 'local', user_id: 'ada' };
    const forget = TOOLS.find(({ name }) => name === 'forget_memory')!;
    const given = { memory_key: 'mem_secret' };
    const answer = await forget.run(given, await scene.manager.as(principal).toolScope('chat'));
    assert.deepEqual([answer.success, answer.pieces], [true, 1]);
    await assertErased(scene);
  });

  withMemory('takes along what was taken from a message whose line cannot be read', async (scene) => {
    await start(scene);
    const { manager, store, layers } = scene;
    await layers.transcripts.archive('chat', [{ id: 'm1', role: 'user', content: CANARY }]);
    await manager.createSession('ada', { session_id: 'elsewhere' });
    const provenance = { author: 'assistant', message_id: 'm1' } as const;
    await manager.addMemory('elsewhere', { type: 'finding', content: { text: CANARY }, provenance });
    await store.rewrite({ kind: 'transcript', id: 'chat' }, ({ lines }) => ({
      keep: lines.map((line) => ({ line, body: line.text.replace('"record"', '"rec0rd"') })),
      append: [],
    }));
    const { privacy } = (await scene.openAnother()).layers;
    assert.equal((await privacy.forget({ session: 'chat' })).pieces.memories, 3);
    await assertErased(scene);
  });

  withMemory('says which ids nothing was found of, and keeps them nowhere', async (scene) => {
    await start(scene);
    const { transcripts, privacy } = scene.layers;
    await transcripts.archive('chat', [{ id: 'm1', role: 'user', content: CANARY }]);
    const ids = ['mem_none', 'mem_secret', 'm1', 'detail_none'];
    const { receipt_id, not_found } = await privacy.forget({ session: 'chat', ids });
    assert.deepEqual(not_found, ['mem_none', 'detail_none']);
    const [kept] = await privacy.receipts();
    assert.deepEqual([kept!.receipt_id, kept!.not_found], [receipt_id, undefined]);
    assert.deepEqual((await privacy.forget({ session: 'chat', ids })).not_found, ids);
    assert.equal((await privacy.forget({ session: 'chat', topic: 'none' })).not_found, undefined);
  });

  withMemory('leaves what was deleted alone when something else is meant', async (scene) => {
    await start(scene);
    await scene.manager.deleteMemory('chat', 'mem_secret');
    const { privacy } = scene.layers;
    const { receipt_id } = await privacy.forget({ user: 'ada', topic: 'open' });
    assert.equal(receipt_id, null);
  });
}

async function start({ manager, layers }: Scene): Promise<void> {
  await layers.agents.create({ name: 'spy' });
  await manager.createSession('ada', { session_id: 'chat' });
  const provenance = { author: 'assistant', trust: 'agent', agent_id: 'spy' } as const;
  const secret = { type: 'finding', id: 'mem_secret', content: { text: CANARY }, tags: ['secret'] } as const;
  await manager.addMemory('chat', { ...secret, provenance });
  const timestamp = new Date(START_MS - 30 * DAY_MS).toISOString();
  const kept = { type: 'finding', id: 'mem_kept', content: { text: 'harmless' }, timestamp } as const;
  await manager.addMemory('chat', kept);
}

/** Makes the lines whole JSON of no known record, as when a person has edited the file. */
async function spoil(store: LogStore, field = '"type"', into = field): Promise<void> {
  const spoilt = (text: string): string => text.replace(field, `"record":"scrap",${into}`);
  await store.rewrite(LOG, ({ lines }) => ({
    keep: lines.map((line) => (line.text.includes(CANARY) ? { line, body: spoilt(line.text) } : { line })),
    append: [],
  }));
}

/** What is counted before goes, is in the receipt, and is in no file afterwards; and then there is nothing more. */
async function forgetsWhole(
  scene: Scene,
  request: ForgetRequest,
  expected: Partial<PieceCounts>,
): Promise<void> {
  const { privacy } = (await scene.openAnother()).layers;
  const { time_range, items: _items, ...before } = await privacy.preview(request);
  for (const [kind, count] of Object.entries(expected))
    assert.equal(before[kind as keyof PieceCounts] ?? 0, count, kind);
  const receipt = await privacy.forget(request);
  assert.notEqual(receipt.receipt_id, null);
  assert.deepEqual(receipt.pieces, before);
  assert.deepEqual(receipt.time_range, time_range);
  await assertErased(scene);
  assert.ok(await scene.manager.getMemory('chat', 'mem_kept'));
  assert.equal((await privacy.forget(request)).receipt_id, null);
}

function nameOf(request: ForgetRequest): string {
  return Object.keys(request).at(-1)!;
}
