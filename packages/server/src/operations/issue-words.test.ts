import { expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf, sentenceOfIssue } from './issue-words.ts';
import { message } from './messages.ts';

const schema = z.strictObject({
  importance: z.number().min(0).max(1).exactOptional(),
  content: z.record(z.string(), z.unknown()).exactOptional(),
  text: z.string().min(1).max(3).exactOptional(),
  kind: z.enum(['a', 'b']).exactOptional(),
  tags: z.array(z.string()).max(1).exactOptional(),
  limit: z.int().exactOptional(),
  id: z.string().regex(/^x/, 'must begin with x').exactOptional(),
  either: z.union([z.string(), z.number()]).exactOptional(),
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
  [{ colour: 'red' }, 'The request must not have "colour": there is no such field'],
])('%j: %s', (input, sentence) => {
  expect(sentenceOfIssue(issuesOf(schema.safeParse(input).error!)[0]!)).toBe(sentence);
});

it.each([
  [{ content: 'x' }, ['messages.0.role must be one of system, user, assistant, tool']],
  [{ role: 'bot', content: 'x' }, ['messages.0.role must be one of system, user, assistant, tool']],
  [{ role: 'user' }, ['messages.0.content is missing']],
  [{ role: 'user', content: 5 }, ['messages.0.content must be a text']],
  [{ text: 'x' }, ['messages.0.sender must be one of user, ai']],
  [{ sender: 'ai' }, ['messages.0.text is missing']],
  [{}, ['messages.0.role must be one of system, user, assistant, tool', 'messages.0.content is missing']],
  ['x', ['messages.0 must be an object']],
])('tells of the nearest of several shapes: %j', (given, sentences) => {
  const { error } = z.object({ messages: z.array(message) }).safeParse({ messages: [given] });
  expect(issuesOf(error!).map(sentenceOfIssue)).toEqual(sentences);
});

it('tells what is missing', () => {
  const { error } = z.object({ text: z.string() }).safeParse({});
  expect(sentenceOfIssue(error!.issues[0]!)).toBe('text is missing');
});
