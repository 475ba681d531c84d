/**
 * How well a memory answers: its own words, what its neighbours in the conversation lend it, its session, its
 * author, its time. All parts are shares of an ideal match, so they add up.
 */

import type { AskedOfNames } from './asked-of-names.ts';
import { KIND_ASKS, KIND_HOLDS_QUESTION, KIND_LENGTH_SHIFT, KIND_TYPE_MASK } from './entry-text.ts';
import { holds } from './holders.ts';
import { type Matches, matchedCountOf } from './match.ts';
import { ofEach } from './of-each.ts';
import type { Part } from './part.ts';
import { documentsOf, unionPostings } from './postings.ts';
import { postingsInTexts } from './query-dates.ts';
import type { RecallIndex } from './recall-index.ts';
import { saidTimes } from './said-times.ts';
import { isStopword } from './stopwords.ts';
import { authorTerm } from './term-names.ts';
import type { TimeCloseness } from './time-closeness.ts';
import type { Similarity } from './vectors/similarity.ts';
import {
  ASKING_PENALTY,
  LENT_AGAIN,
  LONG_MEMORY_DISCOUNT,
  NAMED_ALONE,
  NAMED_AUTHOR,
  NAMED_TIME,
  NEXT_TURN,
  PREVIOUS_TURN,
  QUESTION_LENDS,
  SECOND_TURN,
  SESSION_PRIOR,
  SHARPNESS,
} from './weights.ts';
import { forEachWholeWord, termOf } from './words.ts';

/** Memories of this type are turns of a conversation; position of 'conversation' in `MEMORY_TYPES`. */
export const TURN = 0;

/** What a query asks for beside its words. */
export interface AskedBeside {
  /** Of authors. */
  readonly names: ReadonlySet<string>;
  /** What is asked of them, where nothing else is: how much they talked before and behind it then says nothing. */
  readonly askedOfNames?: AskedOfNames | undefined;
  readonly times: TimeCloseness;
  /** Whether it asks when something is or was. */
  readonly isWhen?: boolean;
  readonly similarity?: Similarity | undefined;
  /** The sessions that are searched; all when left out. */
  readonly sessions?: ReadonlySet<number> | undefined;
}

/** The parts of a match, each as it enters the sum. */
export interface MatchParts {
  /** The memory's own words. */
  readonly words: number;
  /** What the turns around it lend. */
  readonly neighbours: number;
  /** How well its session matches as a whole; for what is no turn, the session that matches best. */
  readonly session: number;
  /** Said by somebody whom the query names; or no turn, and about them. */
  readonly author: number;
  /** From the time that the query speaks of. */
  readonly time: number;
  /** Negative for a turn that mostly asks. */
  readonly question: number;
  /** With an embedder: how far its meaning stands out. */
  readonly similarity?: number;
}

/** The match of what is so strong, beside the strongest. */
export function matchOf(strength: number, strongest: number): number {
  return Math.min(1, strongest) * Math.exp(SHARPNESS * (strength - strongest));
}

/** The strength of which these are the parts. */
export function strengthOfParts(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}

export class StrengthReader {
  #index: RecallIndex;
  #matches: Matches;
  #names: ReadonlySet<string>;
  #authorMarks: readonly (Uint8Array | undefined)[];
  /** Part → documents that hold a name, a rising list for each; only of the parts that were asked for. */
  readonly #holders: (readonly Int32Array[])[] = [];
  #times: TimeCloseness;
  #isWhen: boolean;
  #askedOfNames: AskedOfNames | undefined;
  /** Part → which of its documents say a time; only of the parts that were asked for. */
  readonly #saidTimes = new Map<Part, Uint8Array>();
  #similarity: Similarity | undefined;
  /** Session → its part of a strength; −1 until `sessionPart` is asked for it. */
  readonly sessionParts: Float64Array;
  /** The highest part of all sessions that are searched. */
  readonly highestSessionPart: number;
  /** Whether the query names a time. */
  readonly hasMentions: boolean;
  /** What author and time can add at most. */
  readonly extraAtMost: number;
  /** The same for a document that holds no word. */
  readonly wordlessExtraAtMost: number;
  /** What meaning adds at most to any document. */
  readonly similarityAtMost: number;
  /** The last neighbour that `#step` found. */
  foundPart = 0;
  foundDocument = -1;

  constructor(index: RecallIndex, matches: Matches, asked: AskedBeside) {
    const { names, askedOfNames, times, isWhen = false, similarity, sessions } = asked;
    this.#askedOfNames = askedOfNames;
    this.#similarity = similarity;
    this.#isWhen = isWhen;
    this.#index = index;
    this.#matches = matches;
    this.#times = times;
    this.#names = names;
    this.#authorMarks = ofEach(matches.parts, (part) =>
      names.size > 0 ? authorMarks(part, names) : undefined,
    );
    this.hasMentions = times.hasMentions;
    const byTime = this.hasMentions || isWhen ? NAMED_TIME : 0;
    this.extraAtMost = (names.size > 0 ? NAMED_AUTHOR : 0) + byTime;
    this.wordlessExtraAtMost =
      similarity === undefined && names.size > 0 ? NAMED_ALONE + byTime : this.extraAtMost;
    this.similarityAtMost = similarity?.atMost ?? 0;
    this.sessionParts = new Float64Array(index.registry.ids.length).fill(-1);
    this.highestSessionPart = this.#highestOf(sessions);
  }

  /** Steps to the neighbour of a document; leaves it in `foundPart` and `foundDocument`. */
  step(partNumber: number, document: number, step: 1 | -1): boolean {
    const part = this.#matches.parts[partNumber]!;
    const { holders } = this.#index.registry;
    if (holders[part.session[document]!] === 1) {
      this.foundPart = partNumber;
      this.foundDocument = part.neighbour(document, step);
      return this.foundDocument !== -1;
    }
    const found = this.#index.neighbour(part, document, step);
    this.foundPart = found ? this.#matches.parts.indexOf(found.part) : 0;
    this.foundDocument = found ? found.document : -1;
    return found !== undefined;
  }

  /** The score of a document's own words. */
  ownScore(partNumber: number, document: number): number {
    return this.#matches.scores[partNumber]!.score[2 * document]!;
  }

  /** Whether a document is found at all: by a word of its own, by its meaning, or by who is named. */
  isFound(partNumber: number, document: number): boolean {
    if (this.ownScore(partNumber, document) > 0) return true;
    if (this.#similarity?.isFound(partNumber, document) === true) return true;
    return this.#isNamed(partNumber, document);
  }

  /** Notes the documents that only who is named finds: "What does Marcus need?" is answered by what Marcus said. */
  noteNamed(): void {
    if (this.#names.size === 0) return;
    for (const [partNumber, part] of this.#matches.parts.entries()) {
      const scores = this.#matches.scores[partNumber]!;
      const marks = this.#authorMarks[partNumber]!;
      const said = [...this.#names].map((name) => part.postings(authorTerm(name)));
      // A conversation of two is half of it what one of them said.
      const bySpeaker = said.length === 1 ? said[0]! : unionPostings(said, part.count);
      // Whatever is found by its meaning was noted before.
      const isNoted = (document: number): boolean => this.#similarity?.isFound(partNumber, document) === true;
      for (const document of documentsOf(bySpeaker)) if (!isNoted(document)) scores.note(document);
      const about = new Set(this.#holdersOf(partNumber).flatMap((holders) => [...holders]));
      for (const document of about) {
        const isBySpeaker = marks[part.author[document]!] === 1;
        if (!isBySpeaker && !isTurn(part, document) && !isNoted(document)) scores.note(document);
      }
    }
  }

  /** What the meaning of a document adds. */
  similarity(partNumber: number, document: number): number {
    return this.#similarity === undefined ? 0 : this.#similarity.part(partNumber, document);
  }

  isTurn(partNumber: number, document: number): boolean {
    return isTurn(this.#matches.parts[partNumber]!, document);
  }

  /** What the turns around a document lend it, in units of term weights. */
  #lent(partNumber: number, document: number): number {
    if (this.#askedOfNames !== undefined || !this.isTurn(partNumber, document)) return 0;
    const own = this.#matches.scores[partNumber]!.marks[2 * document + 1]!;
    let lent = 0;
    if (this.step(partNumber, document, -1)) {
      lent += this.#lend(own, PREVIOUS_TURN, true);
      if (this.step(this.foundPart, this.foundDocument, -1)) lent += this.#lend(own, SECOND_TURN, true);
    }
    if (this.step(partNumber, document, 1)) {
      lent += this.#lend(own, NEXT_TURN, false);
      if (this.step(this.foundPart, this.foundDocument, 1)) lent += this.#lend(own, SECOND_TURN, false);
    }
    return lent;
  }

  #lend(own: number, share: number, isBefore: boolean): number {
    const marks = this.#matches.scores[this.foundPart]!.marks[2 * this.foundDocument + 1]!;
    if (marks === 0) return 0;
    const kind = this.#matches.parts[this.foundPart]!.kind[this.foundDocument]!;
    if ((kind & KIND_TYPE_MASK) !== TURN) return 0;
    const factor = isBefore && (kind & KIND_HOLDS_QUESTION) !== 0 ? QUESTION_LENDS : 1;
    const weights = this.#matches.markWeights;
    return share * factor * (weightOf(marks & ~own, weights) + LENT_AGAIN * weightOf(marks & own, weights));
  }

  /**
   * How strongly a document matches, with what the turns around it lend; −1 when it is not found, and no neighbour
   * holds a word of the query.
   */
  strength(partNumber: number, document: number): number {
    const lent = this.#lent(partNumber, document);
    if (lent === 0 && !this.isFound(partNumber, document)) return -1;
    const part = this.#matches.parts[partNumber]!;
    return this.#sum(partNumber, document, lent, this.closeness(part, document));
  }

  /**
   * The same without what is lent, for a document that is found. Never more than `strength`, to
   * the last bit.
   */
  plain(partNumber: number, document: number, closeness: number): number {
    return this.#sum(partNumber, document, 0, closeness);
  }

  /** In the order of `MatchParts`, so that the sum of the parts is the strength to the last bit. */
  #sum(partNumber: number, document: number, lent: number, closeness: number): number {
    const { ideal } = this.#matches;
    const part = this.#matches.parts[partNumber]!;
    let sum =
      this.#words(partNumber, document) +
      lent / ideal +
      this.#session(part, document) +
      this.#author(partNumber, document, lent) +
      this.#time(part, document, closeness) +
      this.#question(part, document);
    if (this.#similarity !== undefined) sum += this.#similarity.part(partNumber, document);
    return Math.max(sum, 0);
  }

  /** The parts of a document's strength. @param isPlain without what the turns around it lend */
  parts(partNumber: number, document: number, isPlain: boolean): MatchParts {
    const part = this.#matches.parts[partNumber]!;
    const lent = isPlain ? 0 : this.#lent(partNumber, document);
    return {
      words: this.#words(partNumber, document),
      neighbours: lent / this.#matches.ideal,
      session: this.#session(part, document),
      author: this.#author(partNumber, document, lent),
      time: this.#time(part, document, this.closeness(part, document)),
      question: this.#question(part, document),
      ...(this.#similarity === undefined ? {} : { similarity: this.#similarity.part(partNumber, document) }),
    };
  }

  #words(partNumber: number, document: number): number {
    const { scores, ideal, parts } = this.#matches;
    return (scores[partNumber]!.score[2 * document]! * lengthFactor(parts[partNumber]!, document)) / ideal;
  }

  /**
   * A turn is understood from the conversation that it stands in. What was noted down stands for itself: what else
   * was noted that day must not decide which of two facts holds, so for all of them the best session counts, whose
   * turns they are to compete with.
   */
  #session(part: Part, document: number): number {
    return isTurn(part, document) ? this.sessionPart(part.session[document]!) : this.highestSessionPart;
  }

  sessionPart(session: number): number {
    let share = this.sessionParts[session]!;
    if (share === -1) {
      share = this.#askedOfNames !== undefined ? 0 : SESSION_PRIOR * this.#matches.sessionShare(session);
      this.sessionParts[session] = share;
    }
    return share;
  }

  /** @param searched all when left out */
  #highestOf(searched: ReadonlySet<number> | undefined): number {
    let highest = 0;
    const take = (session: number): void => {
      highest = Math.max(highest, this.sessionPart(session));
    };
    const { parts, scores } = this.#matches;
    if (searched !== undefined) searched.forEach(take);
    else if (matchedCountOf(this.#matches) > this.sessionParts.length) {
      for (let session = 0; session < this.sessionParts.length; session++) take(session);
    } else {
      // Where few match, most sessions hold no word and need not be asked.
      for (const [partNumber, { matched, matchedCount }] of scores.entries()) {
        const { session } = parts[partNumber]!;
        for (let at = 0; at < matchedCount; at++) take(session[matched[at]!]!);
      }
    }
    return highest;
  }

  /** Whoever is named comes first with what was asked for, and with all else behind it. */
  #author(partNumber: number, document: number, lent: number): number {
    if (!this.#isNamed(partNumber, document)) return 0;
    const isSaid = this.#isSaidByNamed(partNumber, document);
    if (this.#askedOfNames === 'sayings') return isSaid ? NAMED_AUTHOR : 0;
    if (this.#askedOfNames === 'notes') return isSaid ? NAMED_ALONE : NAMED_AUTHOR;
    const isFoundBeside =
      lent > 0 ||
      this.ownScore(partNumber, document) > 0 ||
      this.#similarity?.isFound(partNumber, document) === true;
    return isFoundBeside ? NAMED_AUTHOR : NAMED_ALONE;
  }

  #isNamed(partNumber: number, document: number): boolean {
    if (this.#authorMarks[partNumber] === undefined) return false;
    if (this.#isSaidByNamed(partNumber, document)) return true;
    const isNote = !isTurn(this.#matches.parts[partNumber]!, document);
    return isNote && this.#holdersOf(partNumber).some((holders) => holds(holders, document));
  }

  #isSaidByNamed(partNumber: number, document: number): boolean {
    const { author } = this.#matches.parts[partNumber]!;
    return this.#authorMarks[partNumber]?.[author[document]!] === 1;
  }

  /**
   * What is noted about somebody is as good an answer as what they said. A turn that holds a name mostly speaks to
   * them; and a name that is a stopword, Will say, stands in memories about everybody.
   */
  #holdersOf(partNumber: number): readonly Int32Array[] {
    let holders = this.#holders[partNumber];
    if (holders === undefined) {
      const part = this.#matches.parts[partNumber]!;
      const names = [...this.#names].filter((name) => !isStopword(name));
      holders = names.map((name) => documentsOf(postingsInTexts(termOf(name), part)));
      this.#holders[partNumber] = holders;
    }
    return holders;
  }

  /** Who asks what somebody said asks for their questions as well. */
  #question(part: Part, document: number): number {
    const isAsking = (part.kind[document]! & KIND_ASKS) !== 0;
    return isAsking && this.#askedOfNames !== 'sayings' ? -ASKING_PENALTY : 0;
  }

  /** What says a time is as good for those who ask when as what is of a time for those who name it. */
  #time(part: Part, document: number, closeness: number): number {
    return NAMED_TIME * (this.#isWhen && this.#saysTime(part, document) ? 1 : closeness);
  }

  #saysTime(part: Part, document: number): boolean {
    let says = this.#saidTimes.get(part);
    if (says === undefined) {
      says = saidTimes(part);
      this.#saidTimes.set(part, says);
    }
    return says[document] === 1;
  }

  /** How close a document is to a time that the query names, 0 to 1; 0 when it names none. */
  closeness(part: Part, document: number): number {
    return this.#times.of(part, document);
  }
}

export function isTurn(part: Part, document: number): boolean {
  return (part.kind[document]! & KIND_TYPE_MASK) === TURN;
}

/** What the words of a memory count for its length. */
export function lengthFactor(part: Part, document: number): number {
  return 1 - LONG_MEMORY_DISCOUNT * (part.kind[document]! >> KIND_LENGTH_SHIFT);
}

function weightOf(marks: number, weights: Float64Array): number {
  let sum = 0;
  for (let rest = marks; rest !== 0; rest &= rest - 1) sum += weights[31 - Math.clz32(rest & -rest)]!;
  return sum;
}

/** Author → 1 when one of the names is theirs. */
export function authorMarks(part: Part, names: ReadonlySet<string>): Uint8Array {
  return Uint8Array.from(part.authors, (author) => {
    let isNamed = 0;
    forEachWholeWord(author, (word) => {
      if (names.has(word)) isNamed = 1;
    });
    return isNamed;
  });
}
