import { issuesOf, sentenceOfIssue } from 'longhand';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { message } from './messages.ts';

it.each([
  [{ content: 'x' }, ['messages.0.role must be one of system, user, assistant, tool']],
  [{ role: 'bot', content: 'x' }, ['messages.0.role must be one of system, user, assistant, tool']],
  [{ role: 'user' }, ['messages.0.content is missing']],
  [{ role: 'user', content: 5 }, ['messages.0.content must be a text']],
  [{ text: 'x' }, ['messages.0.sender must be one of user, ai']],
  [{ sender: 'ai' }, ['messages.0.text is missing']],
  [{}, ['messages.0.role must be one of system, user, assistant, tool', 'messages.0.content is missing']],
  ['x', ['messages.0 must be an object']],
])('reports the nearest of several shapes: %j', (given, sentences) => {
  const { error } = z.object({ messages: z.array(message) }).safeParse({ messages: [given] });
  expect(issuesOf(error!).map((issue) => sentenceOfIssue(issue))).toEqual(sentences);
});
