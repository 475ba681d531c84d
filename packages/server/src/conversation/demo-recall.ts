import type { Statement } from './demo-prompt.ts';

/** Finding the statement that answers a question, by the words that they share. */

/** Words that say nothing about what is asked for. */
const COMMON = new Set(
  (
    'a about all am an and any are as at be been by called can could did do does favorite favourite for from had has ' +
    'have he her his how i in is it its know like likes love me mine my name named names of on or our please prefer ' +
    'remember say she tell that the their them there they this to us was we were what when where which who why will ' +
    'with would you your'
  ).split(' '),
);
/** A statement must share so many of the words that matter. */
const ENOUGH = 0.5;

/** The words that matter, without their commonest endings. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 1 && !COMMON.has(word)).map(stem))];
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '') : word.replace(/(?<=..)s$/, '');
}

/** `undefined` when none says enough of what is asked. Of several that say as much, the newest. */
export function bestStatement(question: string, statements: readonly Statement[]): Statement | undefined {
  const wanted = wordsOf(question);
  let best: { readonly statement: Statement; readonly share: number } | undefined;
  for (const statement of statements) {
    const words = new Set(wordsOf(statement.text));
    const share = wanted.filter((word) => words.has(word)).length / Math.max(1, wanted.length);
    if (share < ENOUGH || (best !== undefined && !isBetter({ statement, share }, best))) continue;
    best = { statement, share };
  }
  return best?.statement;
}

type Scored = { readonly statement: Statement; readonly share: number };

/** What is said in the conversation is newer than what was kept; of kept ones the date decides, then the order. */
function isBetter(a: Scored, b: Scored): boolean {
  if (a.share !== b.share) return a.share > b.share;
  if (a.statement.isStored !== b.statement.isStored) return b.statement.isStored;
  return a.statement.isStored ? a.statement.date > b.statement.date : true;
}

const TURNED: readonly (readonly [RegExp, string])[] = [
  [/\bI am\b|\bI['’]m\b/g, 'you are'],
  [/\bI was\b/g, 'you were'],
  [/\b[Mm]y\b/g, 'your'],
  [/\b[Mm]ine\b/g, 'yours'],
  [/\bme\b/g, 'you'],
  [/\bI\b/g, 'you'],
  [/\b[Oo]ur\b/g, 'your'],
];

/** “My dog is called Rex” as one says it to whom it belongs. */
export function asSpokenTo(text: string): string {
  const bare = text.replace(/^(?:please\s+)?(?:remember|note)(?:\s+that\b|\s*[:,])?\s+/i, '');
  const turned = TURNED.reduce((line, [pattern, word]) => line.replace(pattern, word), bare);
  const sentence = turned.slice(0, 1).toUpperCase() + turned.slice(1);
  return /[.!]$/.test(sentence) ? sentence : `${sentence}.`;
}
