/**
 * What is asked of those whom a query names, where it asks for nothing else.
 *
 * "What did Priya say?" asks for what she said first, "Tell me about Priya" for what is noted about her, and so does "Where does
 * Priya live?" when no memory holds "live". "What happened to Priya?" asks for the newest.
 */

import { TALKING } from '../analysis/index.ts';

/** What comes first: what they said, what is noted about them, or neither. */
export type AskedOfNames = 'sayings' | 'notes' | 'either';

interface NamesAsked {
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
 * @param named has those of them that name a person
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
