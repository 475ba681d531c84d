import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEachWord } from '../../longhand/src/recall/vectors/word-vectors.ts';
import { meanOf, principalComponents, project } from './components.ts';
import { encodeTable } from './encode-table.ts';
import { fit } from './fit.ts';
import { embed, normalise } from './model.ts';
import { readSentences, readWords } from './sources.ts';

/**
 * Makes `words.table`: `node packages/vectors/make/make.ts`. Takes about ten minutes and 4 GB of memory.
 *
 * 1. Each word alone, and sentences that hold them, go through all-MiniLM-L6-v2.
 * 2. All are projected to the directions in which the sentences differ most.
 * 3. A word begins as its own vector, the shorter the more frequent it is, and is then moved so that the sum of a
 *    sentence's words points where the model puts the sentence.
 *
 * The README says what each step and each size gained.
 */
const WORDS = 40_000;
const DIMENSIONS = 128;
/** A word of this frequency counts half. */
const HALF_AT = 1e-4;
/** The frequency of the word of a rank, by Zipf's law: this, divided by the rank. */
const ZIPF = 0.1;

if (!existsSync(join(import.meta.dirname, 'node_modules'))) {
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', import.meta.dirname], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
const words = readWords(WORDS);
const sentences = readSentences(words);
console.log(`Embedding ${words.length} words and ${sentences.length} sentences …`);
const embeddedWords = await embed(words.map(({ word }) => word));
const embeddedSentences = await embed(sentences);

console.log('Projecting …');
const meanOfSentences = meanOf(embeddedSentences);
const directions = principalComponents(embeddedSentences, meanOfSentences, DIMENSIONS);
const goals = project(embeddedSentences, meanOfSentences, directions);
for (const goal of goals) normalise(goal);
const vectors = project(embeddedWords, meanOf(embeddedWords), directions);
for (const [number, { rank }] of words.entries()) {
  const weight = HALF_AT / (HALF_AT + ZIPF / (rank + 1));
  const vector = vectors[number]!;
  for (let at = 0; at < vector.length; at++) vector[at]! *= weight;
}

console.log('Fitting …');
const numbers = new Map<number, number>();
for (const [number, { word }] of words.entries())
  forEachWord(word, (hash) => {
    if (!numbers.has(hash)) numbers.set(hash, number);
    return false;
  });
const held = sentences.map((sentence) => {
  const found: number[] = [];
  forEachWord(sentence, (hash) => {
    const number = numbers.get(hash);
    if (number !== undefined) found.push(number);
    return true;
  });
  return found;
});
fit(vectors, held, goals);

const chosen = Array.from(numbers.values(), (number) => ({
  word: words[number]!.word,
  vector: vectors[number]!,
}));
const id = createHash('sha256').update(encodeTable(chosen, '')).digest('hex').slice(0, 16);
const table = encodeTable(chosen, id);
writeFileSync(join(import.meta.dirname, '../words.table'), table);
console.log(`${chosen.length} words, ${table.length} bytes, table ${id}.`);
