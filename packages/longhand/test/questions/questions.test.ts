import { expect, test } from 'vitest';
import { backgroundMemories } from './background.ts';
import { EVERYDAY } from './everyday.ts';
import { PARAPHRASES, PARAPHRASES_ASKED_MS } from './paraphrases.ts';

/** That the sets are what they say. How well they are answered is measured by `npm run bench:recall`. */

const FUNCTION_WORDS = new Set(
  `a about am an and are as at be been by did do does for from had has have he her how i in is it its me my no not of on
  or our out she that the they this to too up us was we were what when where which who why with without you your`.split(
    /\s+/,
  ),
);

/** Stems cut off as coarsely as possible: rather one word too many in common than one too few. */
function contentWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map((word) => word.replace(/(ing|ed|es|s|e|y)$/, ''));
}

test('a hundred everyday questions name memories of their world, and fifty have no answer', () => {
  for (const { sessions, questions } of EVERYDAY) {
    const ids = sessions.flatMap(({ memories }) => memories.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { answers } of questions) {
      expect(answers).not.toHaveLength(0);
      expect(ids).toEqual(expect.arrayContaining([...answers]));
    }
  }
  expect(EVERYDAY.flatMap(({ questions }) => questions)).toHaveLength(100);
  expect(EVERYDAY.flatMap(({ unanswerable }) => unanswerable)).toHaveLength(50);
});

test('nothing in a world was written after the questions are asked', () => {
  for (const { now, sessions } of EVERYDAY) {
    for (const { at } of sessions) expect(Date.parse(at)).toBeLessThan(Date.parse(now));
  }
});

test('a paraphrase has no content word in common with its fact', () => {
  expect(PARAPHRASES).toHaveLength(100);
  for (const { fact, question } of PARAPHRASES) {
    const words = contentWords(fact);
    expect(contentWords(question).filter((word) => words.includes(word))).toEqual([]);
  }
});

test('500 different memories stand beside the facts', () => {
  const texts = backgroundMemories(PARAPHRASES_ASKED_MS).map(({ content }) => JSON.stringify(content));
  expect(new Set(texts).size).toBe(500);
});
