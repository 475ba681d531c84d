import { expect, it } from 'vitest';
import { textOfMemory } from './memory-in-words.ts';

it.each([
  [{ text: 'The door code is 4711' }, 'The door code is 4711'],
  [{ role: 'user', message: 'Hello there' }, 'user: Hello there'],
  [{ role: 'user', speaker: 'Ada', message: 'Hello', mood: 'fine' }, 'Ada: Hello · mood: fine'],
  [{ speaker: 'Marcus', text: 'Stream it.' }, 'Marcus: Stream it.'],
  [{ role: 'user', content: 'Hello there', turn: 4 }, 'user: Hello there · turn: 4'],
  [{ role: 'user', name: 'Ada', text: 'Hello' }, 'Ada: Hello'],
  [{ decision: 'Use Hono', because: ['small', 'quick'] }, 'Use Hono · because: small, quick'],
  [{ topic: 'Deployment', finding: 'Blue green works' }, 'Blue green works · topic: Deployment'],
  [{ message: 'Nobody said it' }, 'Nobody said it'],
  [{ text: 'with', more: 1 }, 'with · more: 1'],
  [{ text: '', mood: { now: 'fine' } }, 'text:  · mood: {"now":"fine"}'],
  [{ name: 'Rex', kind: 'dog' }, 'name: Rex · kind: dog'],
  [{ speaker: 'Ada', mood: 'fine' }, 'speaker: Ada · mood: fine'],
])('shows %j in a line', (content, line) => {
  expect(textOfMemory({ content })).toBe(line);
});
