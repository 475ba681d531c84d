/** A statement as the demo keeps it. */
export interface Fact {
  readonly text: string;
  /** Whether the user says that something is no longer as it was. */
  readonly isChange: boolean;
}

const REMEMBER = /^(?:please\s+)?(?:remember|note|do not forget|don['’]t forget)(?:\s+that\b|\s*[:,])?\s+/i;
const OPENS = /^(?:(?:hello|hi|hey|thanks|thank you|ok|okay)[,.!]+\s+)+/i;
const CLOSES = /,? please (?:remember|note) (?:that|this|it)(?=[.!]*$)/i;
/** A sentence with a person or a state in it; “ok then” states nothing that is worth keeping. */
const STATES = /\b(?:i|i['’]m|my|mine|we|our|is|are|was|were|has|have|had|will)\b/i;
/** Such a sentence means nothing without the one before it. */
const REFERS_BACK = /^(?:this|that|these|those)\b|\b(?:he|she|him|her|his|it|its|they|them|their)\b/i;
const CORRECTS = /^(?:actually|no|sorry|correction)\s*[,:]\s+/i;
/** Words by which people say that something is no longer as it was. */
const CHANGES =
  /\b(?:actually|no|sorry|correction|now|moved|changed|switched|instead|anymore|any more|no longer|new)\b/i;
/** Who moved to a place lives there: as a state it is found by the question, and it replaces the old state. */
const MOVED =
  /\b(I|we)(?:['’]ve| have)?(?: just| recently)? moved to (.+?)( (?:last|this|yesterday|today|on|in|since|an?|\d+|two|three)\b[^.!]*)?([.!]*)$/i;
const REQUEST =
  /^(?:please\s+)?(?:hello|hi|hey|thanks?|ok|forget|show|list|read|use|call|run|tell|what|who|where|when|which|how|why|do|does|did|can|could|is|are|was|were|should)\b/i;
const SENTENCE_END = /\n|(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.)\s+/;
const NEXT_CLAUSE = /(?:, (?:and )?| and )(?=(?:I|my|we|our)\b)/i;
/** A whole statement: a subject, a verb, and what is said of the subject. */
const CLAUSE =
  /^(?:(?:I|we)(?:['’]\w+|\s+\w+)\s+\S|(?:my|our)\s.*\S\s+(?:is|are|was|were|has|have|had|will|\w+(?:s|ed))\s+\S)/i;

export function sentencesIn(text: string): string[] {
  return text.split(SENTENCE_END).flatMap((sentence) => sentence.trim().replaceAll(/\s+/g, ' ') || []);
}

/** Whether a sentence asks for something, and so states nothing. */
export function isRequest(sentence: string): boolean {
  return sentence.endsWith('?') || REQUEST.test(sentence);
}

/** What a message states, each statement for itself, so that one of them can change and the others stay. */
export function factsIn(message: string): Fact[] {
  const facts: Fact[] = [];
  for (const sentence of sentencesIn(message.replace(OPENS, ''))) {
    const said = sentence.replace(CORRECTS, '').replace(CLOSES, '');
    const stated = said.replace(REMEMBER, '');
    if (stated === said && isRequest(stated)) continue;
    const last = facts.at(-1);
    const isOwn = stated !== said || (STATES.test(stated) && !REFERS_BACK.test(stated));
    if (last !== undefined && !isOwn) facts.splice(-1, 1, { ...last, text: `${last.text} ${stated}` });
    else if (!stated.endsWith('?') && (stated !== said || STATES.test(stated)))
      facts.push(...clausesIn(stated).map((text) => ({ text, isChange: CHANGES.test(sentence) })));
  }
  return facts.map(({ text, isChange }) => ({ text: asState(text), isChange }));
}

/** Its clauses, where every one of them is a statement of its own. */
function clausesIn(sentence: string): string[] {
  const clauses = sentence.split(NEXT_CLAUSE);
  const areWhole = clauses.every((one, at) => CLAUSE.test(one) && (at === 0 || !REFERS_BACK.test(one)));
  return areWhole ? clauses : [sentence];
}

function asState(text: string): string {
  const state = text.replace(MOVED, (_, who, place, when, end) => {
    return `${who} live in ${place}${when === undefined ? '' : ` (moved${when})`}${end}`;
  });
  return state.slice(0, 1).toUpperCase() + state.slice(1);
}

/** What a statement is about: “my car” of “My car is red.”, “i live” of “We live in Oslo.” */
export function subjectOf(statement: string): string {
  const plain = statement
    .toLowerCase()
    .replace(/^(i|we)['’](?:m|re)\b/, 'i am')
    .replace(/^we\b/, 'i')
    .replace(/^our\b/, 'my')
    .replace(/\b(?:now|no longer|also|just)\s/g, '');
  return /^i \w+|^.+?(?=\s(?:is|are|was|were|has|have|had|will)\b)/.exec(plain)?.[0] ?? plain;
}

const NAMES_NOTHING =
  /^(?:i|i['’]m|am|my|mine|me|we|our|us|is|are|was|were|the|a|an|about|that|of|on|in|at|to|and|all|everything)$/i;

/** The words of a statement that name something. */
export function namingWords(statement: string): string[] {
  const words = statement.toLowerCase().match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? [];
  return words.filter((word) => !NAMES_NOTHING.test(word));
}
