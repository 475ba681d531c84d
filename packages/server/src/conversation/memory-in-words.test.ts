import { expect, it } from 'vitest';
import { textOfMemory } from './memory-in-words.ts';

it.each([
  [{ text: 'The door code is 4711' }, 'The door code is 4711'],
  [{ role: 'user', message: 'Hello there' }, 'user: Hello there'],
  [{ role: 'user', speaker: 'Ada', message: 'Hello', mood: 'fine' }, 'Ada: Hello · mood: fine'],
  [{ decision: 'Use Hono', because: ['small', 'quick'] }, 'decision: Use Hono · because: ["small","quick"]'],
  [{ message: 'Nobody said it' }, 'message: Nobody said it'],
  [{ text: 'with', more: 1 }, 'text: with · more: 1'],
])('shows %j in a line', (content, line) => {
  expect(textOfMemory({ content })).toBe(line);
});
