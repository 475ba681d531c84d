/**
 * "Where did we talk about…": sessions, best first.
 *
 * A session is ranked by all its words together, without decay: an old session is as good an answer as a new one. "When did I…"
 * asks for the user's words and "you" for the assistant's, so that side counts more. The best memory of a named person adds to its
 * session, and so does the memory that is nearest in meaning; a session can be found by that alone.
 */

import { calendarOf } from '../../time/index.ts';
import {
  KIND_BY_ASSISTANT,
  KIND_BY_USER,
  MOST_DEVIATIONS,
  NAMED_AUTHOR,
  NAMED_SIDE,
  NAMED_TIME,
  QueryError,
  readQueryText,
  requestVerb,
  SESSION_RANK_SATURATION,
  SIMILARITY,
  WORD_SATURATION,
} from '../analysis/index.ts';
import type { RecallIndex } from '../index/index.ts';
import { AskedTimes } from './asked-times.ts';
import { type MemoryFilter, type PartFilter, prepareFilters } from './filter.ts';
import { type Matches, MatchMemory, matchTerms } from './match.ts';
import { queryTerms } from './query-terms.ts';
import type { MeasureMeaning, Similarity } from './similarity.ts';
import { authorMarks, lengthFactor } from './strength.ts';
import { findPhrases, isHeld } from './word-terms.ts';

export interface SessionSearchRequest extends MemoryFilter {
  readonly text: string;
  /** Times in the text count from here. */
  readonly nowMs: number;
  /** Where it is asked; default UTC. */
  readonly timeZone?: string | undefined;
  /** Default 10. */
  readonly limit?: number | undefined;
  /** With an embedder: compares memories with the text by what they mean. */
  readonly meaning?: MeasureMeaning | undefined;
}

export interface SessionHit {
  readonly sessionId: string;
  /** 0 to 1. */
  readonly relevance: number;
}

const FIRST_PERSON = new Set("i i'm i've i'd i'll me my mine myself we our us".split(' '));
const SECOND_PERSON = new Set("you you're you've you'd you'll your yours".split(' '));
const memory = new MatchMemory();

/** What a session can reach at most. */
const BEST_STRENGTH = 1 + SESSION_RANK_SATURATION + NAMED_TIME;

/**
 * Ranks sessions. Sessions without a word of the text, and nothing near in meaning, are left out; without words there is nothing to rank.
 *
 * @throws QueryError for a limit that is not a whole number of at least 0, or too many wildcards
 * @throws SegmentDamage when a segment that is needed was harmed
 */
export function searchSessions(index: RecallIndex, request: SessionSearchRequest): SessionHit[] {
  const limit = request.limit ?? 10;
  if (!(Number.isInteger(limit) && limit >= 0)) {
    throw new QueryError('The limit must be a whole number, 0 or more.', 'limit');
  }
  const times = new AskedTimes(request.text, request.nowMs, calendarOf(request.timeZone));
  const parts = index.parts();
  if (times.isAlone) return ofTime(index, request, times, limit);
  const words = readQueryText(times.rest);
  const phrases = findPhrases(parts, words.phrases);
  const filters = prepareFilters(index, request, words.isOnlyPhrases ? phrases : []);
  const { terms, names } = queryTerms(index, words, phrases, times);
  const similarity = request.meaning?.(index, times.rest);
  const isLeftToTimes = times.isLeftAlone(terms);
  if (isLeftToTimes && !terms.some(({ postings }) => isHeld(postings)))
    return ofTime(index, request, times, limit);
  const sessionWeightOfKind = sideWeights(words.words);
  const options = {
    sessionWeightOfKind,
    sessionSaturation: SESSION_RANK_SATURATION,
    notOfSession: request.replaced,
  };
  const matches = matchTerms(parts, index.registry, terms, memory, options);
  try {
    if (!isLeftToTimes) similarity?.noteNearest(matches, filters);
    const best = bestTurns(matches, filters, names, times, similarity);
    const bestStrength =
      BEST_STRENGTH +
      (names.size === 0 ? 0 : NAMED_AUTHOR * (1 + WORD_SATURATION)) +
      (similarity === undefined ? 0 : SIMILARITY * MOST_DEVIATIONS);
    const { ids } = index.registry;
    const ranked = [...best].map(([session, turn]) => ({
      sessionId: ids[session]!,
      newestMs: turn.newestMs,
      relevance: rounded(strengthOf(matches, session, turn) / bestStrength),
    }));
    return inOrder(ranked).slice(0, limit);
  } finally {
    matches.release();
  }
}

/** Where a time is all that is asked for, a session is as good as what it has that is nearest to it. */
function ofTime(
  index: RecallIndex,
  request: SessionSearchRequest,
  times: AskedTimes,
  limit: number,
): SessionHit[] {
  const filters = prepareFilters(index, request);
  const best = new Map<number, { relevance: number; newestMs: number }>();
  for (const [partNumber, part] of index.parts().entries()) {
    for (const document of filters[partNumber]!.documents()) {
      const strength = times.strength(part, document);
      if (strength === -1) continue;
      const session = part.session[document]!;
      const known = best.get(session) ?? { relevance: 0, newestMs: Number.NEGATIVE_INFINITY };
      known.relevance = Math.max(known.relevance, rounded(strength));
      known.newestMs = Math.max(known.newestMs, part.time[document]!);
      best.set(session, known);
    }
  }
  const ranked = Array.from(best, ([session, each]) => ({
    sessionId: index.registry.ids[session]!,
    ...each,
  }));
  return inOrder(ranked).slice(0, limit);
}

interface RankedSession extends SessionHit {
  readonly newestMs: number;
}

/** Best first; of equals, those with the newest memories. */
function inOrder(ranked: RankedSession[]): SessionHit[] {
  ranked.sort(
    (left, right) =>
      right.relevance - left.relevance ||
      right.newestMs - left.newestMs ||
      (left.sessionId < right.sessionId ? -1 : 1),
  );
  return ranked.map(({ sessionId, relevance }) => ({ sessionId, relevance }));
}

/**
 * Scores of documents are added up in single precision. What lies beyond it says nothing, and must not decide
 * which of two equal sessions comes first.
 */
function rounded(relevance: number): number {
  return Math.round(relevance * 1e6) / 1e6;
}

interface BestTurn {
  /** The best of those whom the question names. */
  namedScore: number;
  closeness: number;
  similarity: number;
  newestMs: number;
}

function bestTurns(
  matches: Matches,
  filters: readonly PartFilter[],
  names: ReadonlySet<string>,
  times: AskedTimes,
  similarity: Similarity | undefined,
): Map<number, BestTurn> {
  const best = new Map<number, BestTurn>();
  for (const [partNumber, part] of matches.parts.entries()) {
    const { score, matched, matchedCount } = matches.scores[partNumber]!;
    const isNamed = names.size > 0 ? authorMarks(part, names) : undefined;
    for (let at = 0; at < matchedCount; at++) {
      const document = matched[at]!;
      if (!filters[partNumber]!.passes(document)) continue;
      const session = part.session[document]!;
      let turn = best.get(session);
      if (!turn) {
        turn = { namedScore: 0, closeness: 0, similarity: 0, newestMs: Number.NEGATIVE_INFINITY };
        best.set(session, turn);
      }
      const time = part.time[document]!;
      const own = score[2 * document]! * lengthFactor(part, document);
      if (isNamed?.[part.author[document]!] === 1) turn.namedScore = Math.max(turn.namedScore, own);
      turn.newestMs = Math.max(turn.newestMs, time);
      if (similarity !== undefined) {
        turn.similarity = Math.max(
          turn.similarity,
          lengthFactor(part, document) * similarity.part(partNumber, document, 1),
        );
      }
      turn.closeness = Math.max(turn.closeness, times.closeness(part, document));
    }
  }
  return best;
}

function strengthOf(matches: Matches, session: number, turn: BestTurn): number {
  return (
    matches.sessionShare(session) +
    (NAMED_AUTHOR * turn.namedScore) / matches.ideal +
    NAMED_TIME * turn.closeness +
    turn.similarity
  );
}

/** How much words count in their session, by the kind of document: more for the side that is spoken of. */
function sideWeights(words: readonly string[]): Uint8Array {
  const isFirst = words.some((word) => FIRST_PERSON.has(word));
  // "Can you tell me" asks for help; it says nothing about who spoke.
  const said = words.slice(requestVerb(words) + 1);
  const isSecond = said.some((word) => SECOND_PERSON.has(word));
  const weights = new Uint8Array(256).fill(1);
  const side = isSecond ? KIND_BY_ASSISTANT : isFirst ? KIND_BY_USER : 0;
  for (let kind = 0; kind < weights.length; kind++) if ((kind & side) !== 0) weights[kind] = NAMED_SIDE;
  return weights;
}
