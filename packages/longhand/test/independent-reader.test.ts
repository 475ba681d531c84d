import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { sized, withSeed } from './campaign.ts';
import { readSession } from './independent-reader.ts';

/** Lives of a session, after which a reader that knows only the page of the format must see what the library sees. */
const id = fc.constantFrom(...Array.from({ length: 8 }, (_, i) => `mem_${i}`));
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('tea', 'a\u2028b', '{"schema_version":1}', '}\n'),
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), id, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('weigh' as const), id, to: fc.constantFrom(0, 0.25, 1) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('correct' as const), id, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('use' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('write by hand' as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('tear' as const), bytes: fc.integer({ min: 1, max: 200 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

it('sees the memories that the library sees, whatever happened to the log', async () => {
  const lives = fc.array(step, { minLength: 1, maxLength: 25 });
  await withSeed((seed) =>
    fc.assert(
      fc.asyncProperty(lives, async (steps) => {
        const root = mkdtempSync(join(tmpdir(), 'longhand-reader-'));
        try {
          const memory = new MemoryManager({ storageRoot: root });
          await memory.createSession('ada', { session_id: 's' });
          await memory.close();
          for (const each of steps) await live(root, each);
          await expectSame(root);
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: sized(60, 3_000), seed },
    ),
  );
});

const fileOf = (root: string): string => join(root, 'sessions/s/memory.jsonl');

async function live(root: string, step: Step): Promise<void> {
  switch (step.do) {
    case 'write by hand':
      // Behind whatever the log ends with, as an editor would.
      appendFileSync(
        fileOf(root),
        `\n${JSON.stringify({ type: 'finding', content: { text: step.text } })}\r\n`,
      );
      return;
    case 'flip': {
      const bytes = readFileSync(fileOf(root));
      // The first record names the owner; without it nothing can be written any more.
      const first = bytes.indexOf(0x0a) + 1;
      if (first < bytes.length) bytes[first + (step.at % (bytes.length - first))]! ^= 1 << step.bit;
      writeFileSync(fileOf(root), bytes);
      return;
    }
    case 'tear': {
      const bytes = readFileSync(fileOf(root));
      const first = bytes.indexOf(0x0a) + 1;
      writeFileSync(fileOf(root), bytes.subarray(0, Math.max(first, bytes.length - step.bytes)));
      return;
    }
  }
  const memory = new MemoryManager({ storageRoot: root });
  try {
    if (step.do === 'add') {
      await memory.addMemory('s', {
        id: step.id,
        type: 'finding',
        content: { text: step.text },
        tags: ['t'],
      });
    } else if (step.do === 'delete') await memory.deleteMemory('s', step.id);
    else if (step.do === 'weigh') await memory.setImportance('s', step.id, step.to);
    else if (step.do === 'correct') await memory.updateMemory('s', step.id, { content: { text: step.text } });
    else if (step.do === 'use') await memory.queryMemories('s', { text: 'tea' });
    else await memory.compactSession('s');
  } catch (error) {
    const refusals = [
      'INVALID_CONTENT',
      'ID_TAKEN',
      'ID_DELETED',
      'MEMORY_NOT_FOUND',
      'INVALID_TEXT',
      'CORRUPT_ENTRY',
    ];
    expect(refusals).toContain((error as { code: string }).code);
  } finally {
    await memory.close();
  }
}

async function expectSame(root: string): Promise<void> {
  const memory = new MemoryManager({ storageRoot: root });
  const exported = (await memory.exportSession('s', 'jsonl')).split('\n').filter((line) => line !== '');
  const theirs = exported
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((value) => value.content !== undefined)
    .map(({ id, type, content, importance, tags }) => ({ id, type, content, importance, tags }));
  await memory.close();
  const { owner, memories } = readSession(root, 's');
  expect(owner).toBe('ada');
  const ours = memories.map(({ id, type, content, importance, tags }) => ({
    id,
    type,
    content,
    importance,
    tags,
  }));
  expect(byId(ours)).toEqual(byId(theirs));
}

const byId = (memories: readonly { readonly id: unknown }[]): unknown[] =>
  [...memories].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
