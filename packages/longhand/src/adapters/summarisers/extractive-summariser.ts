import type { ArchivedMessage } from '../../core/messages.ts';
import type { Summariser, SummaryRequest } from '../../core/summariser.ts';

/**
 * A summary without a model: sentences chosen by rule and quoted, each with its speaker.
 *
 * What was quoted before competes with the sentences that are new. Part of the room is for the newest, so that
 * a summary ends where the conversation does; the rest goes to what scores best, and of equals to the older. So
 * the length has a bound however often it runs, and facts stated early stay. A score depends on the sentence
 * alone: the same conversation gives the same summary.
 *
 * Texts are quoted on one line each, and never stand where they could be taken for instructions.
 */
export const extractiveSummariser: Summariser = {
  name: 'extractive',
  summarise: async (request) => extractSummary(request),
};

const HEADING = 'Extracts of the conversation so far (sentences chosen by rule, not written by a model):';
const MAX_CHARACTERS = 2_000;
/** Room that only the newest messages compete for. */
const NEWEST_CHARACTERS = 700;
const SENTENCE_CHARACTERS = 240;
/** Of a long message, its beginning says what it is about. */
const MESSAGE_CHARACTERS = 20_000;
const SPEAKER_CHARACTERS = 40;
const SHORT_CHARACTERS = 12;
const VARIANT_PENALTY = 3;

interface Extract {
  readonly speaker: string;
  readonly text: string;
  /** Its place in the conversation. */
  readonly at: number;
}

/** The text of `extractiveSummariser`, at most 2,000 characters. */
export function extractSummary({ previous, messages }: SummaryRequest): string {
  const old = previous === undefined ? [] : readPrevious(previous);
  const fresh = messages.flatMap(extractsOf);
  const all = withoutRepeats([...old, ...fresh].map((extract, at) => ({ ...extract, at })));
  const newest = choose(
    all.filter(({ at }) => at >= old.length),
    NEWEST_CHARACTERS,
  );
  const taken = new Set(newest.map(({ at }) => at));
  const left = MAX_CHARACTERS - HEADING.length - charactersOf(newest);
  const lasting = choose(
    all.filter(({ at }) => !taken.has(at)),
    left,
  );
  const lines = [...newest, ...lasting].sort((a, b) => a.at - b.at).map(renderLine);
  return [HEADING, ...lines].join('\n');
}

type Candidate = Omit<Extract, 'at'>;

const LINE = /^- (.*?): “(.*)”$/;

/** Our own lines as they were; a synopsis of another hand sentence by sentence. */
function readPrevious(previous: string): Candidate[] {
  const lines = previous.split('\n');
  if (lines[0] !== HEADING) return sentencesOf(previous).map((text) => ({ speaker: 'summary', text }));
  return lines.slice(1).flatMap((line) => {
    const [, speaker, text] = LINE.exec(line) ?? [];
    return speaker === undefined || text === undefined ? [] : [{ speaker, text }];
  });
}

function extractsOf({ role, name, content }: ArchivedMessage): Candidate[] {
  const speaker = name === undefined ? role : `${role} ${plain(name).replace(/:/g, '')}`;
  return sentencesOf(content.slice(0, MESSAGE_CHARACTERS)).map((text) => ({
    speaker: cut(speaker, SPEAKER_CHARACTERS),
    text,
  }));
}

const CODE_BLOCK = /```[\s\S]*?(```|$)/g;
/** Stands for a detail that is kept elsewhere: worth more than the words around it, and useless when cut. */
const PLACEHOLDER = /\[MemoryRef: [^[\]\n]{1,1000}\]/g;
const KEY_OF_PLACEHOLDER = /^\[MemoryRef: ([A-Za-z0-9_-]{1,64}) /;
const SENTENCE_END = /(?<=[.!?…])\s+|(?<=[。！？])|\n+/u;

function sentencesOf(content: string): string[] {
  const placeholders = content.match(PLACEHOLDER) ?? [];
  const sentences = content
    .replace(CODE_BLOCK, '\n')
    .replace(PLACEHOLDER, ' ')
    .split(SENTENCE_END)
    .map((sentence) => cut(plain(sentence), SENTENCE_CHARACTERS))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  return [...sentences, ...placeholders.flatMap(shortenPlaceholder)];
}

/** The short form means the same. What only looks like a placeholder has no key to come down to. */
function shortenPlaceholder(placeholder: string): string[] {
  const whole = plain(placeholder);
  if (whole.length <= SENTENCE_CHARACTERS) return [whole];
  const [, key] = KEY_OF_PLACEHOLDER.exec(whole) ?? [];
  return key === undefined ? [] : [`[MemoryRef: ${key}]`];
}

/** One line without quotation marks of ours. */
function plain(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/[“”]/g, "'")
    .replace(/^[-*#>\s]+/, '')
    .trim();
}

function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = text.slice(0, characters - 1);
  // Not inside a surrogate pair, and at a word's end when there is one near.
  const whole = head.isWellFormed() ? head : head.slice(0, -1);
  const lastSpace = whole.lastIndexOf(' ');
  return `${lastSpace > characters / 2 ? whole.slice(0, lastSpace) : whole}…`;
}

function withoutRepeats(extracts: readonly Extract[]): Extract[] {
  const seen = new Set<string>();
  return extracts.filter(({ text }) => {
    const key = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
    return !seen.has(key) && seen.add(key);
  });
}

/** The best that fit, of equals the older. What says the same as another but for its numbers counts for less. */
function choose(extracts: readonly Extract[], characters: number): Extract[] {
  const patterns = new Set<string>();
  const ranked = extracts.map((extract) => {
    const pattern = extract.text.replace(/\p{N}+/gu, '#');
    const isVariant = patterns.has(pattern);
    patterns.add(pattern);
    return { extract, score: scoreOf(extract) - (isVariant ? VARIANT_PENALTY : 0) };
  });
  ranked.sort((a, b) => b.score - a.score || a.extract.at - b.extract.at);
  const chosen: Extract[] = [];
  let left = characters;
  for (const { extract, score } of ranked) {
    if (score < 0) break;
    const cost = renderLine(extract).length + 1;
    if (cost > left) continue;
    chosen.push(extract);
    left -= cost;
  }
  return chosen;
}

function charactersOf(extracts: readonly Extract[]): number {
  return extracts.reduce((sum, extract) => sum + renderLine(extract).length + 1, 0);
}

function renderLine({ speaker, text }: Candidate): string {
  return `- ${speaker}: “${text}”`;
}

/** What makes a sentence worth keeping, and by how much. Shapes count in every language, words in English. */
const SIGNS: readonly (readonly [RegExp, number])[] = [
  [/^\[MemoryRef: /, 10],
  // Numbers: dates, amounts, versions, addresses.
  [/\p{N}/u, 2],
  // A name: a capital letter that does not begin the sentence.
  [/[\p{Ll}\p{N},;] \p{Lu}/u, 1],
  [/\b(decid|agree|conclu|chose|choose|settled|approved|rejected)\w*/i, 3],
  [/\b(must|always|never|deadline|due|requires?|important|remember)\b/i, 2],
  [
    /\b(my|our) \w+( \w+)? (is|are|was)\b|\b(i am|i'm|i live|i work|call me|i have|i prefer|i like|i need)\b/i,
    3,
  ],
  [/\b(because|instead|problem|error|fail\w*|fix\w*|cause\w*|works?)\b/i, 1],
  [/[?？]$/, 1],
  [/^(hi|hello|hey|thanks|thank you|ok|okay|sure|great|yes|no|bye|good (morning|evening))\b[^,]{0,24}$/i, -4],
  [/^(sure|of course|certainly|let me know|happy to|glad to|i hope|feel free|is there anything)\b/i, -3],
];

function scoreOf({ speaker, text }: Candidate): number {
  let score = speaker.startsWith('user') ? 1 : 0;
  for (const [sign, weight] of SIGNS) if (sign.test(text)) score += weight;
  return text.length < SHORT_CHARACTERS ? score - 2 : score;
}
