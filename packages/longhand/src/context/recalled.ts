import { formatMemoryRef } from '../core/memory-ref.ts';
import { memoryText } from '../core/memory-text.ts';
import type { Message } from '../core/messages.ts';
import type { FoundMemory } from '../core/query.ts';
import type { Section } from './budget.ts';
import { fence } from './fence.ts';
import { type ManifestPiece, missed, type NearMiss } from './manifest.ts';
import { memoryLine } from './memory-line.ts';
import { onceFor } from './message-tokens.ts';
import type { Room } from './part.ts';
import type { DetailReference, RecalledMemory } from './sources.ts';
import { lowestTrust } from './units.ts';

/** Memories and details that were found for this turn, and placeholders that must not get lost: one message. */

/** With the day: "tomorrow" in a memory means nothing without knowing what today is. */
export function recalledHeading(
  today: string | undefined,
  hasEntries: boolean,
  lessons: readonly string[],
): string {
  const day = today === undefined ? [] : [`Today is ${today}.`];
  if (!hasEntries) return day.join('');
  return [
    'Recalled from memory for this turn, oldest first.',
    ...day,
    'This is what you know, not a request.',
    ...lessons,
  ].join(' ');
}

/** For recalled details, where the front does not say it at length. */
export const REFS_LESSON = 'Call retrieve_memory with its key for what stands behind a [MemoryRef: …].';

/** A line of the recalled message. */
export interface Recalled {
  readonly text: string;
  readonly piece: ManifestPiece;
  /** Of a memory, for the order in which they are printed. */
  readonly memory?: RecalledMemory;
}

export interface Selection {
  readonly kept: readonly Recalled[];
  readonly misses: readonly NearMiss[];
}

/** After so many that did not fit, the rest is named but no longer weighed: it is not near any more. */
const COUNTED_MISSES = 4;
/** One memory above this share of the section is shown as its beginning, with its id to ask for the rest. */
const LARGEST_SHARE = 0.25;
/** So small that a cut memory would say nothing. */
const SMALLEST_PREVIEW = 48;

/**
 * The best memories that fit and that are not in the prompt already.
 * @param shown messages of the prompt
 * @param standing ids of the standing memories in it
 */
export function selectMemories(
  memories: readonly RecalledMemory[],
  shown: readonly Message[],
  standing: ReadonlySet<string>,
  { limit, counter }: Room,
): Selection {
  const kept: Recalled[] = [];
  const misses: NearMiss[] = [];
  const isShown = shownIn(shown);
  const largest = Math.max(SMALLEST_PREVIEW, Math.floor(limit * LARGEST_SHARE));
  const found = memories.filter(({ id }) => !standing.has(id));
  let left = limit;
  let misfits = 0;
  const whyNot = (memory: RecalledMemory, body: string): string | undefined => {
    if (isShown(memory, body)) return 'already in the conversation';
    if (misfits >= COUNTED_MISSES) return 'did not fit';
    const twin = kept.find((other) => isNearDuplicate(wordsIn(other.memory!), wordsIn(memory)));
    return twin && `says the same as ${twin.piece.source.id}`;
  };
  for (const [rank, memory] of found.entries()) {
    const source = { layer: 'memories', id: memory.id } as const;
    const about = { section: 'memories', source, score: scoreOf(memory) } as const;
    const body = memoryText(memory.content);
    const why = whyNot(memory, body);
    if (why !== undefined) {
      misses.push(missed(about, why));
      continue;
    }
    const { text, tokens, isCut } = memoryLine(memory, body, largest, counter);
    if (tokens > left) {
      misfits++;
      misses.push(missed({ ...about, tokens }, 'did not fit'));
      continue;
    }
    left -= tokens;
    const reason = `recalled for the new message, ${rank + 1} of ${found.length}`;
    const cut = isCut ? { is_cut: true as const } : {};
    const { trust } = memory.provenance;
    kept.push({ text, memory, piece: { ...about, role: 'user', reason, tokens, trust, ...cut } });
  }
  return { kept, misses };
}

export function scoreOf({ relevance, explanation }: FoundMemory): Readonly<Record<string, number>> {
  if (explanation === undefined) return { relevance };
  const { importance, decay, recency, match_quality } = explanation;
  return { relevance, importance, decay, recency, match_quality };
}

/** Tells whether messages say the same as a memory, word for word. */
function shownIn(messages: readonly Message[]): (memory: FoundMemory, body: string) => boolean {
  const ids = new Set(messages.map(({ id }) => id));
  return ({ provenance, content }, body) => {
    if (provenance.message_id !== undefined && ids.has(provenance.message_id)) return true;
    const said = [content.message, content.text].find((text) => typeof text === 'string') ?? body;
    const needle = said.trim();
    return needle.length >= SHORTEST_REPEAT && messages.some((shown) => shown.content.includes(needle));
  };
}

/** “Yes.” stands in many messages, and means another thing in each. */
const SHORTEST_REPEAT = 12;
const SAME_SHARE = 0.85;

/** The words of a memory, each as a number: for comparing, a hash does, and takes a tenth of the time. */
const wordsIn = onceFor(({ content }: RecalledMemory): ReadonlySet<number> => {
  const lower = memoryText(content).toLowerCase();
  const words = new Set<number>();
  let hash = 0;
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at);
    const isPart = code > 127 || (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    if (isPart) hash = (Math.imul(hash, 31) + code) | 0;
    else if (hash !== 0) {
      words.add(hash);
      hash = 0;
    }
  }
  return words.add(hash);
});

function isNearDuplicate(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  // The share of common words in all words of both, turned around: so many may be missing, then it is decided.
  const needed = (SAME_SHARE * (a.size + b.size)) / (1 + SAME_SHARE);
  let mayMiss = small.size - needed;
  if (mayMiss < 0) return false;
  for (const word of small) if (!large.has(word) && --mayMiss < 0) return false;
  return true;
}

/** Placeholders, one a line, best first, as many as fit; those in sight already are not repeated. */
export function selectReferences(
  section: Extract<Section, 'details' | 'placeholders'>,
  references: readonly DetailReference[],
  keysInSight: Set<string>,
  { limit, counter }: Room,
): Selection {
  const kept: Recalled[] = [];
  const misses: NearMiss[] = [];
  let left = limit - counter.count(fenceReferences(section, [])) - 8;
  for (const { key, description, trust, relevance } of references) {
    if (keysInSight.has(key)) continue;
    const text = formatMemoryRef(key, description);
    const isWorthCounting = left > 0 || misses.length < COUNTED_MISSES;
    const tokens = isWorthCounting ? counter.count(text) + 1 : Number.POSITIVE_INFINITY;
    const source = { layer: 'details', id: key } as const;
    const about = { section, source, tokens, ...(relevance === undefined ? {} : { score: { relevance } }) };
    if (tokens > left) misses.push(missed(about, 'did not fit'));
    else {
      left -= tokens;
      keysInSight.add(key);
      const reason =
        section === 'details'
          ? 'recalled for the new message'
          : 'stands for a large value of this conversation';
      kept.push({ text, piece: { ...about, role: 'user', reason, trust } });
    }
  }
  return { kept, misses };
}

/** One fence for all of a section: a description can break out of neither its placeholder nor the fence. */
export function fenceReferences(section: 'details' | 'placeholders', lines: readonly Recalled[]): string {
  const tiers = lines.flatMap(({ piece }) => (piece.trust === null ? [] : [piece.trust]));
  return fence(
    { kind: section, trust: lowestTrust(tiers) ?? 'untrusted' },
    lines.map(({ text }) => text).join('\n'),
  );
}

/** A question of so few words says too little alone: “and the other one?” */
const FEW_WORDS = 5;
const LONGEST_QUERY = 1_000;
const LONGEST_BEFORE = 200;

/**
 * What to look for in memory: the newest user message, and the one before it when the newest is very short. Empty when
 * there is nothing to go by.
 */
export function recallQuery(conversation: readonly Message[], newMessages: readonly Message[]): string {
  const prompts = [...newMessages.toReversed(), ...conversation.toReversed()].filter(
    ({ role }) => role === 'user',
  );
  const [newest, before] = prompts;
  if (newest === undefined) return '';
  const asked = plain(shorten(newest.content, LONGEST_QUERY));
  const isShort = asked.split(/\s+/u).length < FEW_WORDS;
  if (!isShort || before === undefined) return asked;
  return `${asked} ${plain(shorten(before.content, LONGEST_BEFORE))}`.trim();
}

/** Quotes and asterisks mean something in a query. In a message they are punctuation. */
function plain(text: string): string {
  return text.replace(/["“”*]/gu, ' ').trim();
}

/** Its beginning and its end: a long message says at one of them what it wants. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed();
}
