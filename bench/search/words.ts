import { createRequire } from 'node:module';
import { readTable } from 'longhand-vectors';
import { forEachWord, WordVectors } from '../../packages/longhand/src/recall/vectors/word-vectors.ts';

/**
 * Words that search would not take for words: stopwords of one contender or the other, and times ("may", "last"), which
 * Longhand reads as such.
 */
const LEFT_OUT = new Set(
  `about above after again against ahead all almost along already also although always among another around away back
  because been before behind being below beneath beside best better between beyond both came cannot come could days does
  doing done down during each early either else enough even ever every evening everything first from give given goes
  going gone half have having here hers herself himself hour hours into itself just keep kept last late later least less
  like made make many maybe mine minute minutes month months more morning most much must myself near neither never next
  night none noon nothing often once ones only onto other others ours ourselves over own past perhaps quite rather said
  same second seconds seen several shall should since some something sometimes soon still such take than that their
  theirs them themselves then there these they thing things this those though through thus time times today together
  tomorrow tonight toward towards under until upon very want wants week weekend weeks well went were what whatever when
  where whether which while whole whom whose will with within without would year years yesterday your yours yourself
  monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
  october november december spring summer autumn winter`.split(/\s+/),
);
/** Shorter words would be stopwords for some contenders and not for others. */
const PLAIN_WORD = /^[a-z]{4,}$/;

/**
 * Words of the table of `longhand-vectors` for the texts of the search benchmark, the most frequent first: meaning costs
 * time only for words that the table knows. It holds hashes in the order of frequency, so the words come from a dictionary.
 */
export function frequentWords(): readonly string[] {
  const table = new WordVectors(readTable());
  const dictionary = createRequire(import.meta.url)('an-array-of-english-words') as readonly string[];
  const ranked: { readonly word: string; readonly rank: number }[] = [];
  for (const word of dictionary) {
    if (!PLAIN_WORD.test(word) || LEFT_OUT.has(word)) continue;
    forEachWord(word, (hash) => {
      const rank = table.find(hash);
      if (rank !== -1) ranked.push({ word, rank });
      return false;
    });
  }
  return ranked.sort((a, b) => a.rank - b.rank).map(({ word }) => word);
}
