import assert from 'node:assert/strict';
import type { Summariser, SummaryRequest } from '../core/summariser.ts';
import { DAY_MS, type Scene, talk, type WithMemory } from './memory-conformance.ts';

const ENABLED = { config: { summary: { enabled: true } } };
const SMALL = { summary: { enabled: true, threshold: 4, keep_last: 2 } };

export function summaryConformance(withChat: WithMemory): void {
  withChat('summarises nothing unless it is told to', async ({ layers }) => {
    await layers.transcripts.archive('chat', talk(0, 100));
    assert.equal(await layers.summaries.update('chat'), undefined);
    assert.equal((await layers.summaries.workingContext('chat')).messages.length, 100);
  });

  withChat(
    'folds all but the last 12 in when there are more than 40, and knows what it covers',
    async ({ layers, manager, openAnother }) => {
      const { transcripts, summaries } = layers;
      await transcripts.archive('chat', talk(0, 40));
      assert.equal(await summaries.update('chat'), undefined);
      await transcripts.archive('chat', talk(40, 41));
      const summary = (await summaries.update('chat'))!;
      assert.deepEqual(
        [summary.summarized_count, summary.covers, summary.method],
        [29, { first_id: 'm0', last_id: 'm28' }, 'extractive'],
      );
      const other = (await openAnother()).layers.summaries;
      assert.deepEqual(await other.current('chat'), summary);
      const context = await other.workingContext('chat');
      assert.deepEqual(context.summary, summary);
      assert.deepEqual(
        context.messages.map(({ id }) => id),
        talk(29, 41).map(({ id }) => id),
      );
      await manager.rebuildIndex('chat');
      assert.deepEqual(await other.summaryFields('chat'), { summary: summary.text, summarized_count: 29 });
    },
    ENABLED,
  );

  const asked: SummaryRequest[] = [];
  withChat(
    'asks any summariser, once, with the summary so far and what is new',
    async ({ layers }) => {
      const { transcripts, summaries } = layers;
      asked.length = 0;
      await transcripts.archive('chat', talk(0, 5));
      await summaries.update('chat');
      await summaries.update('chat');
      await transcripts.archive('chat', talk(5, 9));
      const summary = (await summaries.update('chat'))!;
      assert.deepEqual(
        asked.map(({ previous, messages }) => [previous, messages.map(({ id }) => id)]),
        [
          [undefined, ['m0', 'm1', 'm2']],
          ['synopsis 1', ['m3', 'm4', 'm5', 'm6']],
        ],
      );
      assert.deepEqual(
        [summary.text, summary.method, summary.summarized_count, summary.covers.first_id],
        ['synopsis 2', 'notary', 7, 'm0'],
      );
    },
    {
      config: SMALL,
      summariser: {
        name: 'notary',
        summarise: async (request) => `synopsis ${asked.push(request)}`,
      },
    },
  );

  let attempts = 0;
  const failing: Summariser = {
    name: 'failing',
    summarise: async ({ previous }) => {
      attempts++;
      if (previous === undefined) return 'the first synopsis';
      throw new Error('no model today');
    },
  };
  withChat(
    'keeps the old summary and every message when the summariser fails, and does not try for ever',
    async ({ layers, clock, openAnother }) => {
      const { transcripts, summaries } = layers;
      attempts = 0;
      await transcripts.archive('chat', talk(0, 5));
      await summaries.update('chat');
      await transcripts.archive('chat', talk(5, 12));
      const other = (await openAnother()).layers.summaries;
      for (let i = 0; i < 10; i++) {
        assert.equal((await (i % 2 === 0 ? summaries : other).update('chat'))!.text, 'the first synopsis');
      }
      assert.equal(attempts, 2);
      const context = await other.workingContext('chat');
      assert.equal(context.summary!.summarized_count, 3);
      assert.deepEqual(
        context.messages.map(({ id }) => id),
        talk(3, 12).map(({ id }) => id),
      );
      clock.advance(DAY_MS);
      await transcripts.archive('chat', talk(12, 13));
      await summaries.update('chat');
      assert.equal(attempts, 3);
    },
    { config: SMALL, summariser: failing },
  );

  withChat(
    'counts every message once when two summarise at once',
    async (scene) => {
      const calls: SummaryRequest[] = [];
      const { waiting, release } = gate();
      const slow: Summariser = {
        name: 'slow',
        summarise: async (request) => {
          calls.push(request);
          if (calls.length === 2) release();
          await waiting;
          return `covers ${request.messages.length}`;
        },
      };
      const [one, two] = await twoHolders(scene, slow);
      await one!.transcripts.archive('chat', talk(0, 20));
      await Promise.all([one!.summaries.update('chat'), two!.summaries.update('chat')]);
      assert.equal(calls.length, 2);
      for (const { summaries } of [one!, two!]) {
        const summary = (await summaries.current('chat'))!;
        assert.deepEqual([summary.summarized_count, summary.text], [18, 'covers 18']);
        assert.equal((await summaries.workingContext('chat')).messages.length, 2);
      }
    },
    { config: SMALL },
  );
}

async function twoHolders({ openAnother }: Scene, summariser: Summariser) {
  const options = { config: SMALL, summariser };
  return [(await openAnother(options)).layers, (await openAnother(options)).layers];
}

function gate(): { readonly waiting: Promise<void>; readonly release: () => void } {
  let release!: () => void;
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { waiting, release };
}
