/**
 * Words to scores: one pass over the postings of each term.
 *
 * Each part has an array of scores and one of marks (which of the terms a document holds). For each term the
 * pass also counts its occurrences in every session; they become a score when a session is asked for, which
 * few are. Terms are taken in a fixed order, so the sums are the same to the last bit however documents are
 * spread over parts.
 *
 * Documents are noted when they get their first score, so that a rare word costs nothing for the size of the
 * index: looking for the best ones, and wiping the arrays afterwards, visit those documents alone. Terms come rarest
 * first, so the documents that are noted with a term hold none of the rarer ones: that bounds their scores.
 */

import { ofEach } from './of-each.ts';
import type { Part } from './part.ts';
import { listed, type Postings } from './postings.ts';
import type { SessionRegistry } from './session-registry.ts';
import {
  COMMON_HOLDERS,
  COMMON_SHARE,
  MAX_SCORED_TERMS,
  SESSION_LENGTH_SHARE,
  SESSION_SATURATION,
  WORD_SATURATION,
} from './weights.ts';

/** Only so many terms have a mark of their own; rarer ones first, so the others hardly tell turns apart. */
const MARKED_TERMS = 32;

/** When more than one document of so many has a score, wiping all is faster than wiping those. */
const DOCUMENTS_A_MATCH = 16;

/** Scores are added up as 32 bits, and may be above their bound by so much. */
const SCORE_ROUNDING = 1.00001;

/** A term of the query with its live postings in each part. */
export interface MatchTerm {
  readonly name: string;
  readonly postings: readonly Postings[];
  /** The word or pattern of the query that it is looked for by, as it was typed; a phrase has none but its words. */
  readonly typed?: string;
  /** What it counts of what a word with so many holders does; 1 when left out. */
  readonly share?: number;
  /** What an ideal text would have of that: more than `share`, which it is when left out, where this is only a guess. */
  readonly idealShare?: number;
  /** Whether it is common in every language, however few hold it here. */
  readonly isCommon?: boolean;
}

/** The scores of one part. */
export class PartScores {
  /** At 2 × document: the score. In the cells between, through `marks`, bit n: the document holds the n-th term. */
  score = new Float32Array(0);
  marks = new Int32Array(0);
  /** The documents with a score: the first `matchedCount` of these. */
  matched = new Int32Array(0);
  matchedCount = 0;
  /** Term → how many documents had a score once it was added. */
  readonly matchedWith: number[] = [];

  reserve(count: number): void {
    if (count < this.matched.length) return;
    const capacity = Math.max(count, this.matched.length * 2);
    // Score and marks of a document side by side: what is far apart in memory is what takes the time.
    const cells = new ArrayBuffer(capacity * 8);
    this.score = new Float32Array(cells);
    this.marks = new Int32Array(cells);
    // One more, to write to without asking first.
    this.matched = new Int32Array(capacity + 1);
  }

  /** Notes a document that is found without a word. */
  note(document: number): void {
    if (this.score[2 * document] === 0) this.matched[this.matchedCount++] = document;
  }

  wipe(): void {
    if (this.matchedCount * DOCUMENTS_A_MATCH > this.matched.length) this.score.fill(0);
    else {
      for (let at = 0; at < this.matchedCount; at++) {
        const cell = 2 * this.matched[at]!;
        this.score[cell] = 0;
        this.marks[cell + 1] = 0;
      }
    }
    this.matchedCount = 0;
    this.matchedWith.length = 0;
  }
}

/** Counts of one term in each session. */
class SessionTally {
  count = new Int32Array(0);
  /** How many sessions have any. */
  sessionCount = 0;

  clear(sessions: number): void {
    this.sessionCount = 0;
    if (sessions > this.count.length) this.count = new Int32Array(Math.max(sessions, 2 * this.count.length));
    else this.count.fill(0, 0, sessions);
  }

  add(session: number, occurrences: number): void {
    if (this.count[session] === 0) this.sessionCount++;
    this.count[session]! += occurrences;
  }
}

/** The working memory of queries, kept between them so that a query allocates little. */
export class MatchMemory {
  readonly #scores = new WeakMap<Part, PartScores>();
  readonly #tallies: SessionTally[] = [];
  /** Frequency → what it adds to the score. */
  readonly gains = new Float64Array(256);
  readonly markWeights = new Float64Array(MARKED_TERMS);

  scoresOf(part: Part): PartScores {
    let scores = this.#scores.get(part);
    if (!scores) {
      scores = new PartScores();
      this.#scores.set(part, scores);
    }
    scores.reserve(part.count);
    return scores;
  }

  /** An empty tally for the n-th term. */
  tallyOf(term: number, sessions: number): SessionTally {
    this.#tallies[term] ??= new SessionTally();
    this.#tallies[term].clear(sessions);
    return this.#tallies[term];
  }
}

export interface Matches {
  readonly parts: readonly Part[];
  readonly scores: readonly PartScores[];
  /** How well a session matches as a whole: a share of one that holds every term once, and is of usual length. */
  sessionShare(session: number): number;
  /** The score of a document that holds every term once, or as many as an ideal one does; 1 when nobody holds any. */
  readonly ideal: number;
  /** Term → what a document scores at most that holds none of the terms before it. */
  readonly scoreAtMost: readonly number[];
  /** How many terms count. */
  readonly termCount: number;
  /** Weight of the term of each mark. */
  readonly markWeights: Float64Array;
  /** Gives the working memory back. */
  release(): void;
}

/** How many documents have a score, or are found without one. */
export function matchedCountOf({ scores }: Matches): number {
  return scores.reduce((sum, { matchedCount }) => sum + matchedCount, 0);
}

/** The weight of a term that `holders` of `all` have: the rarer, the heavier, and never below 0. */
export function rarity(holders: number, all: number): number {
  return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
}

/** What is common is held by a few at least: in a small store one or two hold it by chance. */
function rarityOf({ isCommon }: MatchTerm, holders: number, all: number): number {
  const atLeast = isCommon === true ? Math.min(COMMON_HOLDERS, COMMON_SHARE * all) : 0;
  return rarity(Math.max(holders, atLeast), all);
}

export interface MatchOptions {
  /** How much a document's words count in its session, by kind; 1 for all when left out. */
  readonly sessionWeightOfKind?: Uint8Array;
  /** Saturation of words in a session. */
  readonly sessionSaturation?: number;
  /** An ideal text, or session, holds no more of the terms than this; all of them when left out. */
  readonly idealTerms?: number;
}

interface CountedTerm {
  readonly term: MatchTerm;
  readonly holders: number;
}

/** Scores all documents for some terms. Terms without live documents do not count. */
export function matchTerms(
  parts: readonly Part[],
  registry: SessionRegistry,
  terms: readonly MatchTerm[],
  memory: MatchMemory,
  options: MatchOptions = {},
): Matches {
  const scores = ofEach(parts, (part) => memory.scoresOf(part));
  const counted = countedTerms(terms);
  const { markWeights, gains } = memory;
  markWeights.fill(0);
  let ideal = 0;
  const weights: number[] = [];
  const tallies: SessionTally[] = [];
  for (const [number, { term, holders }] of counted.entries()) {
    const whole = rarityOf(term, holders, registry.documentCount);
    const weight = whole * (term.share ?? 1);
    ideal += whole * idealShareOf(term);
    weights.push(weight);
    const mark = number < MARKED_TERMS ? 1 << number : 0;
    if (mark !== 0) markWeights[number] = weight;
    for (let frequency = 1; frequency < 256; frequency++) {
      gains[frequency] = (weight * frequency * (1 + WORD_SATURATION)) / (frequency + WORD_SATURATION);
    }
    const tally = memory.tallyOf(number, registry.ids.length);
    tallies.push(tally);
    for (const [at, part] of parts.entries()) {
      const postings = term.postings[at]!;
      if (postings.count === 0) continue;
      const byKind = options.sessionWeightOfKind;
      if (byKind) tallyByKind(postings, part, tally, byKind);
      addPostings(postings, gains, mark, scores[at]!, part, byKind ? undefined : tally);
    }
    for (const each of scores) each.matchedWith.push(each.matchedCount);
  }
  const release = (): void => {
    for (const each of scores) each.wipe();
  };
  const saturation = options.sessionSaturation ?? SESSION_SATURATION;
  const idealShare = Math.min(1, (options.idealTerms ?? counted.length) / (counted.length || 1));
  const sessionShare = sessionShares(registry, tallies, counted, saturation, idealShare);
  return {
    parts,
    scores,
    sessionShare,
    ideal: ideal * idealShare || 1,
    scoreAtMost: scoresAtMost(weights),
    termCount: counted.length,
    markWeights,
    release,
  };
}

/** Those that anybody holds, rarest first. */
function countedTerms(terms: readonly MatchTerm[]): readonly CountedTerm[] {
  const counted: CountedTerm[] = [];
  for (const term of terms) {
    let holders = 0;
    for (const { count } of term.postings) holders += count;
    if (holders > 0) counted.push({ term, holders });
  }
  counted.sort((left, right) => left.holders - right.holders || (left.term.name < right.term.name ? -1 : 1));
  return counted.length > MAX_SCORED_TERMS ? counted.slice(0, MAX_SCORED_TERMS) : counted;
}

/** However often a document holds a term, it gains less than this for it. */
function scoresAtMost(weights: readonly number[]): readonly number[] {
  let sum = 0;
  const atMost: number[] = [];
  for (let term = weights.length - 1; term >= 0; term--) {
    sum += weights[term]! * (1 + WORD_SATURATION);
    atMost[term] = sum * SCORE_ROUNDING;
  }
  return atMost;
}

function idealShareOf({ share = 1, idealShare = share }: MatchTerm): number {
  return idealShare;
}

function sessionShares(
  registry: SessionRegistry,
  tallies: readonly SessionTally[],
  counted: readonly CountedTerm[],
  saturation: number,
  idealShare: number,
): (session: number) => number {
  const weights = new Float64Array(tallies.length);
  let wanted = 0;
  for (const [number, { sessionCount }] of tallies.entries()) {
    const { term } = counted[number]!;
    const whole = rarityOf(term, sessionCount, registry.liveSessionCount);
    weights[number] = whole * (term.share ?? 1);
    wanted += whole * idealShareOf(term);
  }
  const ideal = wanted * idealShare || 1;
  const averageLength = registry.lengthSum / Math.max(1, registry.liveSessionCount) || 1;
  return (session) => {
    const relativeLength = registry.lengths[session]! / averageLength;
    const slope = saturation * (1 - SESSION_LENGTH_SHARE + SESSION_LENGTH_SHARE * relativeLength);
    let score = 0;
    for (let term = 0; term < tallies.length; term++) {
      const frequency = tallies[term]!.count[session]!;
      if (frequency > 0) score += (weights[term]! * frequency * (1 + saturation)) / (frequency + slope);
    }
    return score / ideal;
  };
}

/**
 * The inner loop, once for each form of postings: they differ in the head. Writing a segment's documents to a list
 * first takes a sixth longer. In a segment the documents of a session stand side by side: they are tallied once for all of
 * them, and only the first is asked for its session.
 * Whether a document has a score already cannot be foretold, and a branch that is foretold wrongly takes as long as all
 * the rest: so all are noted, and the next one takes the place of one that was known.
 */
function addPostings(
  postings: Postings,
  weights: Float64Array,
  mark: number,
  scores: PartScores,
  part: Part,
  tally: SessionTally | undefined,
): void {
  const { count } = postings;
  const { score, marks, matched } = scores;
  let { matchedCount } = scores;
  const { session } = part;
  let inSession = -1;
  let sessionEnd = 0;
  let occurrences = 0;
  if (postings.kind === 'listed') {
    const { documents, frequencies } = postings;
    for (let posting = 0; posting < count; posting++) {
      const document = documents[posting]!;
      const frequency = frequencies[posting]!;
      const known = score[2 * document]!;
      matched[matchedCount] = document;
      matchedCount += Number(known === 0);
      score[2 * document] = known + weights[frequency]!;
      marks[2 * document + 1]! |= mark;
      if (document >= sessionEnd) {
        if (occurrences > 0) tally?.add(inSession, occurrences);
        inSession = session[document]!;
        sessionEnd = part.sessionEnd(document);
        occurrences = 0;
      }
      occurrences += frequency;
    }
  } else {
    const { bytes } = postings;
    const frequencyStart = bytes.length - count;
    let at = 0;
    let document = 0;
    for (let posting = 0; posting < count; posting++) {
      let byte = bytes[at++]!;
      if (byte < 128) document += byte;
      else {
        let distance = byte & 127;
        for (let shift = 7; byte >= 128; shift += 7) {
          byte = bytes[at++]!;
          distance |= (byte & 127) << shift;
        }
        document += distance;
      }
      const frequency = bytes[frequencyStart + posting]!;
      const known = score[2 * document]!;
      matched[matchedCount] = document;
      matchedCount += Number(known === 0);
      score[2 * document] = known + weights[frequency]!;
      marks[2 * document + 1]! |= mark;
      if (document >= sessionEnd) {
        if (occurrences > 0) tally?.add(inSession, occurrences);
        inSession = session[document]!;
        sessionEnd = part.sessionEnd(document);
        occurrences = 0;
      }
      occurrences += frequency;
    }
  }
  if (occurrences > 0) tally?.add(inSession, occurrences);
  scores.matchedCount = matchedCount;
}

/** Counts words by session with a weight for the kind of document they stand in. */
function tallyByKind(postings: Postings, part: Part, tally: SessionTally, weightOfKind: Uint8Array): void {
  const { documents, frequencies, count } = listed(postings);
  const { kind, session } = part;
  for (let posting = 0; posting < count; posting++) {
    const document = documents[posting]!;
    tally.add(session[document]!, frequencies[posting]! * weightOfKind[kind[document]!]!);
  }
}
