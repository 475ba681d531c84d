import { createRandom, shuffle } from '../random.ts';
import { makeCommonWords, makeRareWords } from './made-words.ts';

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

/** Real English words for the texts of the search benchmark, the most frequent first; at most so many. */
export function frequentWords(most: number): readonly string[] {
  return [...new Set(wordSource())]
    .filter((word) => PLAIN_WORD.test(word) && !LEFT_OUT.has(word))
    .slice(0, most);
}

/**
 * Where the words come from. Meaning costs time only for words that the table of vectors knows: once `longhand-vectors`
 * stands beside the library, this returns that table's words, which are in the order of their frequency.
 */
function wordSource(): readonly string[] {
  return [...shuffle(makeCommonWords(), createRandom(11)), ...shuffle(makeRareWords(), createRandom(12))];
}
