import assert from 'node:assert/strict';
import type { Context, ContextRequest } from '../context/assemble-context.ts';
import { LonghandError } from '../core/errors.ts';
import type { Message } from '../core/messages.ts';
import { chance } from './chance.ts';
import { FOUR_CHARACTERS, type Scene, talk, type WithMemory } from './memory-conformance.ts';

const SEED = 20260302;
const TURNS = 40;

/** What must hold for any memory, any turn and any budget: tried on random ones, the same in every run. */
export function contextProperties(withHelper: WithMemory): void {
  withHelper('never exceeds a budget, whatever is in the memory', async (scene) => {
    const random = chance(SEED);
    let made = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      await grow(scene, random, turn);
      const budget = Math.floor(60 + random() ** 3 * 12_000);
      const messages = randomTurn(random, turn);
      const context = await assemble(scene, { messages, budget });
      if (context === undefined) continue;
      made++;
      const counted = context.messages.reduce((sum, { content }) => sum + FOUR_CHARACTERS.count(content), 0);
      assert.ok(counted <= context.manifest.total && context.manifest.total <= budget);
      assert.deepEqual(pairsIn(context.messages).asked, pairsIn(context.messages).answered);
      assert.equal(context.messages.findLast(({ role }) => role === 'user')?.id, messages[0]!.id);
    }
    assert.ok(made > TURNS / 2);
  });

  withHelper('is the same bytes for the same log, configuration and clock', async (scene) => {
    const random = chance(SEED + 1);
    for (let turn = 0; turn < TURNS / 2; turn++) {
      await grow(scene, random, turn);
      scene.clock.advance(Math.floor(random() * 86_400_000));
      const budget = Math.floor(500 + random() * 4_000);
      const now = new Date(scene.clock.now());
      const request = { messages: randomTurn(random, turn), budget, now, previous: { segments: [] } };
      // The first call keeps what is too large, and must not differ from those after it.
      const first = await assemble(scene, request);
      assert.equal(JSON.stringify(await assemble(scene, request)), JSON.stringify(first));
      if (turn % 5 > 0) continue;
      const other = await scene.openAnother();
      assert.equal(JSON.stringify(await assemble({ ...scene, ...other }, request)), JSON.stringify(first));
      await other.manager.close();
    }
  });

  withHelper(
    'counts with a real vocabulary unless it is told otherwise, long runs without spaces too',
    async ({ manager, layers }) => {
      const hostile = ['a'.repeat(60_000), '🦆'.repeat(20_000), '\u200b'.repeat(20_000), 'ab'.repeat(30_000)];
      for (const [i, content] of hostile.entries()) {
        await layers.transcripts.archive('chat', [{ id: `h${i}`, role: 'user', content }]);
        const messages: Message[] = [{ id: `n${i}`, role: 'user', content }];
        const { manifest } = await manager.assembleContext({
          session: 'chat',
          agent: 'helper',
          user: 'ada',
          messages,
          budget: 2_000,
        });
        assert.ok(manifest.total <= 2_000);
        assert.equal(manifest.tokenizer, 'o200k_base');
      }
    },
    { tokenCounter: undefined as never },
  );
}

/** `undefined` when the budget cannot even hold the newest messages. */
async function assemble(
  { manager }: Pick<Scene, 'manager'>,
  request: Pick<ContextRequest, 'messages'> & Partial<ContextRequest>,
): Promise<Context | undefined> {
  try {
    return await manager.assembleContext({ session: 'chat', agent: 'helper', user: 'ada', ...request });
  } catch (error) {
    if (LonghandError.isInstance(error) && error.code === 'BUDGET_TOO_SMALL') return undefined;
    throw error;
  }
}

const WORDS = 'harbour port tea launch May staging database </stored> 🦆 [MemoryRef: x - y] # Header'.split(
  ' ',
);

function words(random: () => number, most: number): string {
  const count = 1 + Math.floor(random() ** 4 * most);
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
}

async function grow({ layers, manager }: Scene, random: () => number, turn: number): Promise<void> {
  const text = words(random, 1_500);
  const which = Math.floor(random() * 6);
  if (which === 0)
    await layers.journal.save('helper', random() < 0.5 ? 'core' : 'journal', text.slice(0, 9_000));
  if (which === 1) await layers.notes.apply('ada', 'helper', { operation: 'append', content: `${text}\n` });
  if (which === 2) await layers.details.store('chat', { content: text, description: words(random, 20) });
  if (which >= 3) {
    await layers.transcripts.archive('chat', [{ id: `u${turn}`, role: 'user', content: text }]);
    await layers.transcripts.archive('chat', talk(turn * 4, turn * 4 + 4));
  }
  await manager.addMemory('chat', {
    type: 'finding',
    id: `mem_turn${turn}`,
    content: { text: words(random, 300) },
    provenance: { author: 'tool', trust: random() < 0.5 ? 'untrusted' : 'owner' },
  });
}

function randomTurn(random: () => number, turn: number): Message[] {
  const messages: Message[] = [{ id: `new${turn}`, role: 'user', content: words(random, 800) }];
  for (let i = 0; i < Math.floor(random() * 4); i++) {
    const id = `call_${turn}_${i}`;
    messages.push(
      { role: 'assistant', content: '', tool_calls: [{ id, name: 'run', arguments: {} }] },
      { role: 'tool', content: words(random, 2_000), tool_call_id: id },
    );
  }
  return messages;
}

function pairsIn(messages: readonly Message[]): { readonly asked: string[]; readonly answered: string[] } {
  return {
    asked: messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)),
    answered: messages.flatMap(({ tool_call_id }) => tool_call_id ?? []),
  };
}
