import { expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf, sentenceOfIssue } from './issue-words.ts';

const schema = z.strictObject({
  importance: z.number().min(0).max(1).exactOptional(),
  content: z.record(z.string(), z.unknown()).exactOptional(),
  text: z.string().min(1).max(3).exactOptional(),
  kind: z.enum(['a', 'b']).exactOptional(),
  tags: z.array(z.string()).max(1).exactOptional(),
  limit: z.int().exactOptional(),
  id: z.string().regex(/^x/, 'must begin with x').exactOptional(),
  either: z.union([z.string(), z.number()]).exactOptional(),
  pair: z.array(z.int()).length(2).exactOptional(),
});

it.each([
  [{ importance: 7 }, 'importance must be at most 1'],
  [{ importance: -1 }, 'importance must be at least 0'],
  [{ importance: 'x' }, 'importance must be a number'],
  [{ content: 'x' }, 'content must be an object'],
  [{ text: '' }, 'text must not be empty'],
  [{ text: 'long' }, 'text must have at most 3 characters'],
  [{ kind: 'c' }, 'kind must be one of a, b'],
  [{ tags: ['a', 'b'] }, 'tags must have at most 1 item'],
  [{ tags: [1] }, 'tags.0 must be a text'],
  [{ limit: 1.5 }, 'limit must be a whole number'],
  [{ id: 'y' }, 'id must begin with x'],
  [{ either: true }, 'either must be a text or a number'],
  [{ pair: [1] }, 'pair must have exactly 2 items'],
  [{ pair: [1, 2, 3] }, 'pair must have exactly 2 items'],
  [{ colour: 'red' }, 'The request must not have "colour": there is no such field'],
])('%j: %s', (input, sentence) => {
  expect(sentenceOfIssue(issuesOf(schema.safeParse(input).error!)[0]!)).toBe(sentence);
});

it('tells what is missing', () => {
  const { error } = z.object({ text: z.string() }).safeParse({});
  expect(sentenceOfIssue(error!.issues[0]!)).toBe('text is missing');
});

it('names one issue for each field, and for what has no field', () => {
  const { error } = z.strictObject({ text: z.string().min(1) }).safeParse({ text: [], more: 1 });
  expect(issuesOf(error!).map((issue) => sentenceOfIssue(issue, 'The input'))).toEqual([
    'The input must not have "more": there is no such field',
    'text must be a text',
  ]);
});

it('names no more issues than a caller mends at a time', () => {
  const many = Array.from({ length: 100_000 }, (_, i) => i);
  const names = Object.fromEntries(many.map((i) => [`k${i}`, i]));
  const { error } = z.strictObject({ list: z.array(z.string()) }).safeParse({ list: many, ...names });
  const issues = issuesOf(error!);
  expect(issues.map(({ keys = [] }) => keys.length).slice(0, 2)).toEqual([20, 0]);
  expect(issues).toHaveLength(20);
});
