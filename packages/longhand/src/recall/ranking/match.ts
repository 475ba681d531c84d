/**
 * Words to scores: one pass over the postings of each term.
 *
 * Each part has an array of scores and one of marks (which terms a document holds), and each term a count of its occurrences by
 * session. Terms are taken in a fixed order, so the sums are the same to the last bit however documents are spread over parts.
 * Documents are noted with their first score: ranking and wiping visit those alone. Terms come rarest first, so the best
 * documents are mostly noted first and rule out the others.
 */

import {
  FEW_TEXTS,
  MAX_SCORED_TERMS,
  SESSION_LENGTH_SHARE,
  SESSION_SATURATION,
  WORD_SATURATION,
} from '../analysis/index.ts';
import { documentsOf, listed, type Part, type Postings, type SessionRegistry } from '../index/index.ts';
import { ofEach } from './lists.ts';

/** Only so many terms have a mark of their own; rarer ones first, so the others hardly tell turns apart. */
const MARKED_TERMS = 32;

/** A term of the query with its live postings in each part. */
export interface MatchTerm {
  readonly name: string;
  readonly postings: readonly Postings[];
  /** The word or pattern of the query that it is looked for by, as it was typed; a phrase has none but its words. */
  readonly typed?: string;
  /** Of a time: whether a document is of it only by when it was written. */
  readonly isByDate?: (part: number, document: number) => boolean;
  /** What it counts of what a word with so many holders does; 1 when left out. */
  readonly share?: number;
}

/** The scores of one part. */
class PartScores {
  /** At 2 × document: the score. In the cells between, through `marks`, bit n: the document holds the n-th term. */
  score = new Float32Array(0);
  marks = new Int32Array(0);
  /** The documents with a score: the first `matchedCount` of these. */
  matched = new Int32Array(0);
  matchedCount = 0;

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
    for (let at = 0; at < this.matchedCount; at++) {
      const cell = 2 * this.matched[at]!;
      this.score[cell] = 0;
      this.marks[cell + 1] = 0;
    }
    this.matchedCount = 0;
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
  /** The score of a document that holds every term once, or as many as an ideal one does; 1 without terms. */
  readonly ideal: number;
  /** The weight of the words that have a mark, and of those that no document holds; times are left out. */
  readonly asked: number;
  /** The marks of times. */
  readonly timeMarks: number;
  /** The marks of what holds every asked word; 0 where nothing can. */
  readonly wholeMarks: number;
  /** Of the terms that have one. */
  readonly markOf: ReadonlyMap<MatchTerm, number>;
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
function rarity(holders: number, all: number): number {
  return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
}

interface MatchOptions {
  /** How much a document's words count in its session, by kind; 1 for all when left out. */
  readonly sessionWeightOfKind?: Uint8Array;
  /** By part, a 1 for each document whose words do not count in its session. */
  readonly notOfSession?: ReadonlyMap<Part, Uint8Array> | undefined;
  /** Saturation of words in a session. */
  readonly sessionSaturation?: number;
  /** An ideal text, or session, holds no more of the terms than this; all of them when left out. */
  readonly idealTerms?: number;
  /** Whether a term is as rare as the sessions that hold it; as the documents when left out. */
  readonly raritySessions?: boolean;
}

interface CountedTerm {
  readonly term: MatchTerm;
  readonly holders: number;
}

/** Scores all documents for some terms. Terms that no live document holds count only in what is asked for. */
export function matchTerms(
  parts: readonly Part[],
  registry: SessionRegistry,
  terms: readonly MatchTerm[],
  memory: MatchMemory,
  options: MatchOptions = {},
): Matches {
  const scores = ofEach(parts, (part) => memory.scoresOf(part));
  const bySession = options.raritySessions === true;
  const counted = countedTerms(terms, bySession ? sessionsHolding(parts) : documentsHolding);
  const all = Math.max(FEW_TEXTS, bySession ? registry.liveSessionCount : registry.documentCount);
  const { markWeights, gains } = memory;
  markWeights.fill(0);
  const isUnheld = ({ postings }: MatchTerm): boolean => postings.every(({ count }) => count === 0);
  const unheld = Math.min(terms.filter(isUnheld).length, MAX_SCORED_TERMS - counted.length);
  const unheldWords = terms.filter((term) => isUnheld(term) && !isTime(term)).length;
  let sought = unheld * rarity(0, all);
  let asked = Math.min(unheld, unheldWords) * rarity(0, all);
  let timeMarks = 0;
  const markOf = new Map<MatchTerm, number>();
  const tallies: SessionTally[] = [];
  for (const [number, { term, holders }] of counted.entries()) {
    const whole = rarity(holders, all);
    const weight = whole * (term.share ?? 1);
    sought += whole;
    const mark = number < MARKED_TERMS ? 1 << number : 0;
    if (mark !== 0) markWeights[number] = weight;
    markOf.set(term, mark);
    if (isTime(term)) timeMarks |= mark;
    else if (mark !== 0) asked += whole;
    for (let frequency = 1; frequency < 256; frequency++) {
      gains[frequency] = (weight * frequency * (1 + WORD_SATURATION)) / (frequency + WORD_SATURATION);
    }
    const tally = memory.tallyOf(number, registry.ids.length);
    tallies.push(tally);
    for (const [at, part] of parts.entries()) {
      const postings = term.postings[at]!;
      if (postings.count === 0) continue;
      addPostings(postings, gains, mark, scores[at]!, part, tally, options);
    }
  }
  const isOpen = unheldWords > 0 || terms.some(({ share }) => share !== undefined);
  const release = (): void => {
    for (const each of scores) each.wipe();
  };
  const saturation = options.sessionSaturation ?? SESSION_SATURATION;
  const shareOf = (count: number): number => Math.min(1, (options.idealTerms ?? count) / (count || 1));
  const sessionShare = sessionShares(registry, tallies, counted, saturation, shareOf(counted.length));
  return {
    parts,
    scores,
    sessionShare,
    ideal: sought * shareOf(counted.length + unheld) || 1,
    asked,
    timeMarks,
    wholeMarks: isOpen ? 0 : [...markOf.values()].reduce((all, mark) => all | mark, 0) & ~timeMarks,
    markOf,
    markWeights,
    release,
  };
}

function isTime({ isByDate }: MatchTerm): boolean {
  return isByDate !== undefined;
}

/** Those that are held at all, rarest first. */
function countedTerms(
  terms: readonly MatchTerm[],
  holdersOf: (postings: readonly Postings[]) => number,
): readonly CountedTerm[] {
  const counted: CountedTerm[] = [];
  for (const term of terms) {
    const holders = holdersOf(term.postings);
    if (holders > 0) counted.push({ term, holders });
  }
  counted.sort((left, right) => left.holders - right.holders || (left.term.name < right.term.name ? -1 : 1));
  return counted.length > MAX_SCORED_TERMS ? counted.slice(0, MAX_SCORED_TERMS) : counted;
}

function documentsHolding(postings: readonly Postings[]): number {
  let holders = 0;
  for (const { count } of postings) holders += count;
  return holders;
}

function sessionsHolding(parts: readonly Part[]): (postings: readonly Postings[]) => number {
  return (postings) => {
    const holders = new Set<number>();
    for (const [at, { session }] of parts.entries()) {
      // The documents of a session stand side by side.
      let last = -1;
      for (const document of documentsOf(postings[at]!)) {
        if (session[document] !== last) holders.add(session[document]!);
        last = session[document]!;
      }
    }
    return holders.size;
  };
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
    const whole = rarity(sessionCount, registry.liveSessionCount);
    weights[number] = whole * (term.share ?? 1);
    wanted += whole;
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
 * The inner loop. Whether a document has a score already cannot be predicted, and a mispredicted branch costs as much as all
 * the rest: so every document is noted, and the next one takes the place of one that was known.
 */
function addPostings(
  postings: Postings,
  gains: Float64Array,
  mark: number,
  scores: PartScores,
  part: Part,
  tally: SessionTally,
  { sessionWeightOfKind: weightOfKind, notOfSession }: MatchOptions,
): void {
  const { session, kind } = part;
  const isLeftOut = notOfSession?.get(part);
  const { count, documents, frequencies } = listed(postings);
  const { score, marks, matched } = scores;
  let { matchedCount } = scores;
  for (let posting = 0; posting < count; posting++) {
    const document = documents[posting]!;
    const frequency = frequencies[posting]!;
    const known = score[2 * document]!;
    matched[matchedCount] = document;
    matchedCount += Number(known === 0);
    score[2 * document] = known + gains[frequency]!;
    marks[2 * document + 1]! |= mark;
    const weight = weightOfKind === undefined ? 1 : weightOfKind[kind[document]!]!;
    if (isLeftOut?.[document] !== 1) tally.add(session[document]!, frequency * weight);
  }
  scores.matchedCount = matchedCount;
}
