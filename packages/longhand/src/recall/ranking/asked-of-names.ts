/**
 * What is asked of those whom a query names, where it asks for nothing else.
 *
 * "What did Priya say?" is answered by what she said, and what is noted about her stands behind that; with "Tell me about Priya"
 * it is the other way round, and so it is with "Where does Priya live?" where nobody wrote of living, if anything is noted about
 * her. "What happened to Priya?" does not tell: the newest comes first, no matter who said it.
 */

import { TALKING } from '../analysis/index.ts';

/** What comes first: what they said, what is noted about them, or neither. */
export type AskedOfNames = 'sayings' | 'notes' | 'either';

export interface NamesAsked {
  readonly asked: AskedOfNames;
  /** The words of the query that name those who are asked about. */
  readonly words: ReadonlySet<string>;
}

/** "Was sagt Priya?", "Que dit Priya ?" */
const BEFORE_SPEAKER = new Set('sagt sagte meint meinte erzahlt erzahlte dit disait raconte'.split(' '));
/** "About Priya", "über Priya". */
const BEFORE_SUBJECT = new Set(['about', 'uber', 'ueber']);
/** "Who is Priya?", "Wer ist Priya?", "Qui est Priya ?" */
const WHO = new Set(['who', 'wer', 'qui']);
const IS = new Set(['is', 'was', 'ist', 'war', 'est', 'etait']);

/**
 * @param words of the query
 * @param named has those of them that name somebody
 * @param saysNoMore whether the others say only that something was said, or happened
 */
export function namesAsked(
  words: readonly string[],
  named: ReadonlyMap<string, unknown>,
  saysNoMore: boolean,
): NamesAsked {
  // Of "What did Tom say about Priya?" it is Tom who speaks.
  const lastTalk = words.findLastIndex((word) => TALKING.has(word));
  const isSpeaker = (at: number): boolean => at < lastTalk || BEFORE_SPEAKER.has(words[at - 1] ?? '');
  const speakers = new Set(words.filter((word, at) => named.has(word) && isSpeaker(at)));
  if (speakers.size > 0) return { asked: 'sayings', words: speakers };
  const isForNotes = !saysNoMore || words.some((word, at) => named.has(word) && isSubject(words, at));
  return { asked: isForNotes ? 'notes' : 'either', words: new Set(named.keys()) };
}

function isSubject(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? '';
  if (BEFORE_SUBJECT.has(before) || before === "who's") return true;
  return IS.has(before) && WHO.has(words[at - 2] ?? '');
}
