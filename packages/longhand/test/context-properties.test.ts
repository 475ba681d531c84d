import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../src/adapters/token-counter.ts';
import { type Assembled, assemble } from '../src/context/assemble.ts';
import type { Beside } from '../src/context/beside.ts';
import { FENCE_LESSON } from '../src/context/fence.ts';
import { TOKENS_PER_IMAGE } from '../src/context/images.ts';
import { requestTokens } from '../src/context/message-tokens.ts';
import type { ContextSources, StoredMessage } from '../src/context/sources.ts';
import { LonghandError } from '../src/core/errors.ts';
import type { Message } from '../src/core/messages.ts';
import type { JsonObject } from '../src/core/records.ts';
import type { TokenCounter } from '../src/core/token-counter.ts';
import { anyBudget, anySources, quarterCounter } from './context-sources.ts';

const RUNS = { numRuns: 150 };
const anyImage = fc.record(
  {
    description: fc.string({ maxLength: 300 }),
    memory_key: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  },
  { requiredKeys: [] },
);

/** Undefined when the budget is too small for what must be there. */
function tryAssemble(
  sources: ContextSources,
  budget: number,
  counter: TokenCounter,
  beside: Beside = {},
): Assembled | number {
  try {
    return assemble(sources, { budget, counter, ...beside });
  } catch (error) {
    if (!LonghandError.isInstance(error) || error.code !== 'BUDGET_TOO_SMALL') throw error;
    return error.details.needed_tokens as number;
  }
}

function newestPrompt({ conversation, newMessages }: ContextSources): Message | undefined {
  return [...conversation, ...newMessages].findLast(({ role }) => role === 'user');
}

describe('a context, whatever it is made from', () => {
  it('never exceeds the budget, and says what would be enough when it cannot be kept', async () => {
    const real = await loadTokenCounter();
    // A counter for which a text weighs more than its parts: sums over parts must not be relied on.
    const steep: TokenCounter = { name: 'steep', count: (text) => Math.ceil((text.length / 4) ** 1.1) };
    fc.assert(
      fc.property(
        anySources,
        anyBudget,
        fc.constantFrom(quarterCounter, steep, real),
        fc.constantFrom(0, 40, 700),
        fc.oneof(fc.constantFrom(0, 0, 1, 3, 40), fc.array(anyImage, { maxLength: 40 })),
        (sources, budget, counter, tools, images) => {
          const made = tryAssemble(sources, budget, counter, { tools, images });
          if (typeof made === 'number') {
            expect(made).toBeGreaterThan(budget);
            expect(tryAssemble(sources, made, counter, { tools, images })).not.toBeTypeOf('number');
            return;
          }
          const { given, sent } = made.manifest.images ?? { given: 0, sent: 0 };
          expect(given).toBe(typeof images === 'number' ? images : images.length);
          const total = requestTokens(made.messages, counter) + tools + sent * TOKENS_PER_IMAGE;
          expect(total).toBe(made.manifest.total);
          expect(total).toBeLessThanOrEqual(budget);
        },
      ),
      RUNS,
    );
  });

  it('shows no stored text without saying what it is', async () => {
    const real = await loadTokenCounter();
    const smallBudget = fc.integer({ min: 1, max: 600 });
    fc.assert(
      fc.property(
        anySources,
        smallBudget,
        fc.constantFrom(quarterCounter, real),
        (sources, budget, counter) => {
          const made = tryAssemble(sources, budget, counter);
          if (typeof made === 'number') return;
          const fenced = made.messages.findIndex(({ content }) => /^<stored \w+="/m.test(content));
          const taught = made.messages.findIndex(({ content }) => content.includes(FENCE_LESSON));
          if (fenced < 0) return;
          expect(taught).toBeGreaterThanOrEqual(0);
          expect(taught).toBeLessThanOrEqual(fenced);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('always fits the newest exchange, whatever its size, when there is room for its placeholders', async () => {
    const real = await loadTokenCounter();
    const text = fc.oneof(
      fc.lorem({ mode: 'sentences', maxCount: 400 }),
      fc.string({ unit: 'binary', maxLength: 4_000 }),
      fc.constantFrom('', 'x'.repeat(30_000), '\n"\\'.repeat(5_000), '\ud800'.repeat(3_000)),
    );
    const input = fc.dictionary(fc.string({ maxLength: 40 }), fc.oneof(text, fc.jsonValue({ maxDepth: 4 })));
    const calls = fc.array(fc.tuple(input, text), { minLength: 1, maxLength: 3 });
    const name = fc.constantFrom('run', 'retrieve_memory', 'store_memory', 'x[y]\nz');
    fc.assert(
      fc.property(
        text,
        text,
        calls,
        name,
        fc.constantFrom(quarterCounter, real),
        (asked, said, made, tool, counter) => {
          const tool_calls = made.map(([given], i) => ({
            id: `c${i}`,
            name: tool,
            arguments: { memory_key: 'big_1', ...(given as JsonObject) },
          }));
          const newMessages: Message[] = [
            { id: 'u', role: 'user', content: asked },
            { id: 'a', role: 'assistant', content: said, tool_calls },
            ...made.map(([, content], i): Message => ({ role: 'tool', content, tool_call_id: `c${i}` })),
          ];
          const sources = { conversation: [], memories: [], details: [], placeholders: [], newMessages };
          const { messages, manifest } = assemble(sources, { budget: 1_500, counter });
          expect(manifest.total).toBeLessThanOrEqual(1_500);
          expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(made.length);
        },
      ),
      RUNS,
    );
  });

  it('keeps the newest user message whole, or as a preview of what is kept aside', () => {
    fc.assert(
      fc.property(anySources, anyBudget, (sources, budget) => {
        const made = tryAssemble(sources, budget, quarterCounter);
        const prompt = newestPrompt(sources);
        if (typeof made === 'number' || prompt === undefined) return;
        const shown = made.messages.find(({ id }) => id === prompt.id);
        expect(shown).toBeDefined();
        if (shown!.content === prompt.content) return;
        expect(shown!.content).toMatch(/^\[MemoryRef: message_[0-9a-f]{20} - /);
        expect(made.captures).toContainEqual(
          expect.objectContaining({ text: prompt.content, message: prompt }),
        );
      }),
      RUNS,
    );
  });

  it('never parts a tool call from its results, and shows every message once and in order', () => {
    fc.assert(
      fc.property(anySources, anyBudget, (sources, budget) => {
        const made = tryAssemble(sources, budget, quarterCounter);
        if (typeof made === 'number') return;
        const open: string[] = [];
        for (const message of made.messages) {
          if (message.role === 'tool') expect(open.shift()).toBe(message.tool_call_id);
          else {
            expect(open).toEqual([]);
            open.push(...(message.tool_calls ?? []).map(({ id }) => id));
          }
        }
        expect(open).toEqual([]);
        const order = [...sources.conversation, ...sources.newMessages].map(({ id }) => id);
        const places = made.messages.flatMap(({ id }) => (id === undefined ? [] : [order.indexOf(id)]));
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      }),
      RUNS,
    );
  });

  it('lets nothing speak as the system but the owner and the agent', () => {
    fc.assert(
      fc.property(anySources, anyBudget, (sources, budget) => {
        const made = tryAssemble(sources, budget, quarterCounter);
        if (typeof made === 'number') return;
        const systems = made.messages.filter(({ role }) => role === 'system');
        expect(systems.length).toBeLessThanOrEqual(1);
        for (const { role, trust } of made.manifest.pieces) {
          if (role === 'system') expect(['owner', 'agent', null]).toContain(trust);
        }
        const system = systems[0]?.content ?? '';
        expect(system).not.toMatch(/ trust="(external|untrusted)"/);
        // And nothing from outside as the user or the assistant.
        const isOutside = ({ provenance }: StoredMessage): boolean =>
          provenance?.trust === 'external' || provenance?.trust === 'untrusted';
        const outside = [...sources.conversation, ...sources.newMessages].filter(isOutside);
        for (const { id } of outside) {
          const shown = made.messages.find((message) => message.id === id);
          if (shown !== undefined) expect(shown.content).toMatch(/^<stored [^>]*>.*<\/stored>$/s);
        }
      }),
      RUNS,
    );
  });

  it('accounts for everything: what is not in the prompt is among the near misses', () => {
    fc.assert(
      fc.property(anySources, anyBudget, (sources, budget) => {
        const made = tryAssemble(sources, budget, quarterCounter);
        if (typeof made === 'number') return;
        const { pieces, near_misses, other_misses } = made.manifest;
        expect(near_misses.length).toBeLessThanOrEqual(20);
        const named = new Set([...pieces, ...near_misses].map(({ source }) => source.id));
        const text = made.messages.map(({ content }) => content).join('\n');
        const ids = [
          ...sources.memories,
          ...(sources.standing ?? []),
          ...(sources.privateMemory?.core ?? []),
        ];
        const keys = [...sources.details, ...sources.placeholders].map(({ key }) => key);
        const missing = [...ids.map(({ id }) => id), ...keys].filter(
          (id) => !named.has(id) && !text.includes(`[MemoryRef: ${id}`),
        );
        expect(new Set(missing).size).toBeLessThanOrEqual(other_misses);
      }),
      RUNS,
    );
  });

  it('leaves nothing out that fits', () => {
    fc.assert(
      fc.property(anySources, (all) => {
        const sources = { ...all, earlierMessages: 0 };
        const { manifest } = assemble(sources, {
          budget: 1_000_000,
          counter: quarterCounter,
          standingTokens: 1_000_000,
        });
        const reasons = manifest.near_misses.map(({ why }) => why);
        const isMeant = /^(already in the conversation|says the same as|a tool call without a result)/;
        expect(reasons.filter((why) => !isMeant.test(why))).toEqual([]);
        expect(manifest.pieces.filter(({ is_cut }) => is_cut)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is the same bytes for the same sources, and then nothing has changed', () => {
    fc.assert(
      fc.property(anySources, anyBudget, (sources, budget) => {
        const first = tryAssemble(sources, budget, quarterCounter);
        const second = tryAssemble(structuredClone(sources), budget, quarterCounter);
        expect(JSON.stringify(second)).toBe(JSON.stringify(first));
        if (typeof first === 'number') return;
        const again = assemble(sources, {
          budget,
          counter: quarterCounter,
          previous: first.manifest,
        }).manifest;
        expect(again.changed_sections).toEqual([]);
        expect(again.stable_prefix.segments).toBe(again.segments.length);
      }),
      { numRuns: 80 },
    );
  });
});
