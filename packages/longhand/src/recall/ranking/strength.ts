/**
 * How well a memory answers: its own words, what its neighbours in the conversation lend it, its session, its
 * author, its time. All parts are shares of an ideal match, so they add up.
 */

import {
  ASKING_PENALTY,
  authorTerm,
  forEachWholeWord,
  isStopword,
  KIND_ASKS,
  KIND_HOLDS_QUESTION,
  KIND_NAMED,
  KIND_TYPE_MASK,
  LENGTH_PIVOT,
  LENGTH_SLOPE,
  LENT_AGAIN,
  MEANING_MATCH,
  MOST_DEVIATIONS,
  NAMED_ALONE,
  NAMED_AUTHOR,
  NAMED_TIME,
  NEXT_TURN,
  PREVIOUS_TURN,
  QUESTION_LENDS,
  SECOND_TURN,
  SESSION_PRIOR,
  SHARPNESS,
  SIMILARITY,
  termOf,
  UNNAMED_NEIGHBOURS,
  UNNAMED_SESSION,
} from '../analysis/index.ts';
import { documentsOf, type Part, type RecallIndex, unionPostings } from '../index/index.ts';
import type { AskedOfNames } from './asked-of-names.ts';
import type { AskedTimes } from './asked-times.ts';
import { holds, ofEach } from './lists.ts';
import { type Matches, matchedCountOf } from './match.ts';
import type { Similarity } from './similarity.ts';

/** Memories of this type are turns of a conversation; position of 'conversation' in `MEMORY_TYPES`. */
export const TURN = 0;

/** What a query asks for beside its words. */
interface AskedBeside {
  /** Of authors. */
  readonly names: ReadonlySet<string>;
  /** What is asked of them, where nothing else is. */
  readonly askedOfNames?: AskedOfNames | undefined;
  readonly times: AskedTimes;
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
  /** How well its session matches; for what is no turn, the best session. */
  readonly session: number;
  /** Said by a person whom the query names; or, outside a conversation, about that person. */
  readonly author: number;
  /** From the time that the query refers to. */
  readonly time: number;
  /** Negative for a turn that mostly asks. */
  readonly question: number;
  /** With an embedder: how far its meaning stands out. */
  readonly similarity?: number;
}

/** How good a match is beside the strongest: 1 for the strongest itself. */
export function matchQuality(strength: number, strongest: number): number {
  return Math.exp(SHARPNESS * (strength - strongest));
}

export class StrengthReader {
  #index: RecallIndex;
  #matches: Matches;
  #names: ReadonlySet<string>;
  #authorMarks: readonly (Uint8Array | undefined)[];
  /** Part → documents that hold a name, a rising list for each; only of the parts that were asked for. */
  readonly #holders: (readonly Int32Array[])[] = [];
  #times: AskedTimes;
  #askedOfNames: AskedOfNames | undefined;
  readonly measured: Similarity | undefined;
  /** Session → its part of a strength; −1 until `sessionPart` is asked for it. */
  readonly sessionParts: Float64Array;
  /** The highest part of all sessions that are searched. */
  readonly highestSessionPart: number;
  /** Whether the query names a time. */
  readonly hasMentions: boolean;
  /** What author and time can add at most. */
  readonly extraAtMost: number;
  /** The last neighbour that `#step` found. */
  foundPart = 0;
  foundDocument = -1;

  constructor(index: RecallIndex, matches: Matches, asked: AskedBeside) {
    const { names, askedOfNames, times, similarity, sessions } = asked;
    this.#askedOfNames = askedOfNames;
    this.measured = similarity;
    this.#index = index;
    this.#matches = matches;
    this.#times = times;
    this.#names = names;
    this.#authorMarks = ofEach(matches.parts, (part) =>
      names.size > 0 ? authorMarks(part, names) : undefined,
    );
    this.hasMentions = times.hasMentions;
    const byTime = this.hasMentions || times.isWhen ? NAMED_TIME : 0;
    this.extraAtMost = (names.size > 0 ? NAMED_AUTHOR : 0) + byTime;
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
    if (this.measured?.isFound(partNumber, document) === true) return true;
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
      const isNoted = (document: number): boolean => this.measured?.isFound(partNumber, document) === true;
      for (const document of documentsOf(bySpeaker)) if (!isNoted(document)) scores.note(document);
      const about = new Set(this.#holdersOf(partNumber).flatMap((holders) => [...holders]));
      for (const document of about) {
        const isBySpeaker = marks[part.author[document]!] === 1;
        if (!isBySpeaker && !isTurn(part, document) && !isNoted(document)) scores.note(document);
      }
    }
  }

  /**
   * What the meaning of a document adds to its words. A long one means a little of everything, as it holds every word. A note
   * that holds all asked words is as near as the nearest memory: its other words ("on Mondays", "on Fridays") are what is asked
   * for, and of two such notes the newer one holds.
   */
  similarity(partNumber: number, document: number, words: number): number {
    if (this.measured === undefined) return 0;
    const { wholeMarks, scores, parts } = this.#matches;
    const part = parts[partNumber]!;
    const isWhole = (scores[partNumber]!.marks[2 * document + 1]! & wholeMarks) === wholeMarks;
    const isNearest = wholeMarks !== 0 && isWhole && !isTurn(part, document);
    const worth = isNearest ? this.measured.highest(words) : this.measured.part(partNumber, document, words);
    return lengthFactor(part, document) * worth;
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
    const part = this.#matches.parts[partNumber]!;
    const share = isNamedSpeaker(part, document) ? 1 : UNNAMED_NEIGHBOURS;
    return lent * share * lengthFactor(part, document);
  }

  #lend(own: number, share: number, isBefore: boolean): number {
    const marks = this.#matches.scores[this.foundPart]!.marks[2 * this.foundDocument + 1]!;
    if (marks === 0) return 0;
    const part = this.#matches.parts[this.foundPart]!;
    const kind = part.kind[this.foundDocument]!;
    if ((kind & KIND_TYPE_MASK) !== TURN) return 0;
    const isQuestion = (kind & KIND_HOLDS_QUESTION) !== 0 && isNamedSpeaker(part, this.foundDocument);
    const factor = isBefore && isQuestion ? QUESTION_LENDS : 1;
    const weights = this.#matches.markWeights;
    return share * factor * (weightOf(marks & ~own, weights) + LENT_AGAIN * weightOf(marks & own, weights));
  }

  /** With what the turns around it lend; −1 when neither the document nor a neighbour matches. */
  strength(partNumber: number, document: number): number {
    const lent = this.#lent(partNumber, document);
    if (lent === 0 && !this.isFound(partNumber, document)) return -1;
    const part = this.#matches.parts[partNumber]!;
    return this.#sum(partNumber, document, lent, this.closeness(part, document));
  }

  /** The same without what is lent: never more than `strength`, to the last bit. */
  plain(partNumber: number, document: number, closeness: number): number {
    return this.#sum(partNumber, document, 0, closeness);
  }

  /** In the order of `MatchParts`, so that the sum of the parts is the strength to the last bit. */
  #sum(partNumber: number, document: number, lent: number, closeness: number): number {
    const { ideal } = this.#matches;
    const part = this.#matches.parts[partNumber]!;
    const words = this.#words(partNumber, document);
    let sum =
      words +
      lent / ideal +
      this.#session(part, document) +
      this.#author(partNumber, document, lent) +
      this.#time(part, document, closeness) +
      this.#question(part, document);
    if (this.measured !== undefined) sum += this.similarity(partNumber, document, words);
    return Math.max(sum, 0);
  }

  /** The parts of a document's strength. @param isPlain without what the turns around it lend */
  parts(partNumber: number, document: number, isPlain: boolean): MatchParts {
    const part = this.#matches.parts[partNumber]!;
    const lent = isPlain ? 0 : this.#lent(partNumber, document);
    const words = this.#words(partNumber, document);
    return {
      words,
      neighbours: lent / this.#matches.ideal,
      session: this.#session(part, document),
      author: this.#author(partNumber, document, lent),
      time: this.#time(part, document, this.closeness(part, document)),
      question: this.#question(part, document),
      ...(this.measured && { similarity: this.similarity(partNumber, document, words) }),
    };
  }

  /** What a document holds of all that is asked for, 0 to 1: how far an answer can be relied on. It never sorts. */
  match(partNumber: number, document: number): number {
    const { asked, markWeights, timeMarks, scores } = this.#matches;
    const marks = scores[partNumber]!.marks[2 * document + 1]! & ~timeMarks;
    const words = asked === 0 ? 1 : weightOf(marks, markWeights) / asked;
    const meaning = this.similarity(partNumber, document, 1) / (SIMILARITY * MOST_DEVIATIONS);
    return Math.min(1, words + MEANING_MATCH * meaning);
  }

  #words(partNumber: number, document: number): number {
    const { scores, ideal, parts } = this.#matches;
    return (scores[partNumber]!.score[2 * document]! * lengthFactor(parts[partNumber]!, document)) / ideal;
  }

  /** A note stands for itself: for all notes the best session counts, with whose turns they compete. */
  #session(part: Part, document: number): number {
    if (!isTurn(part, document)) return this.highestSessionPart;
    const share = isNamedSpeaker(part, document) ? 1 : UNNAMED_SESSION;
    return share * this.sessionPart(part.session[document]!);
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

  /** What was asked of a named person scores highest; the person's other memories score less. */
  #author(partNumber: number, document: number, lent: number): number {
    if (!this.#isNamed(partNumber, document)) return 0;
    const isSaid = this.#isSaidByNamed(partNumber, document);
    if (this.#askedOfNames === 'sayings') return isSaid ? NAMED_AUTHOR : 0;
    if (this.#askedOfNames === 'notes') return isSaid ? NAMED_ALONE : NAMED_AUTHOR;
    const isFoundBeside =
      lent > 0 ||
      this.ownScore(partNumber, document) > 0 ||
      this.measured?.isFound(partNumber, document) === true;
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

  /** A note about a person answers like what they said. A turn that holds a name mostly speaks to that person. */
  #holdersOf(partNumber: number): readonly Int32Array[] {
    let holders = this.#holders[partNumber];
    if (holders === undefined) {
      const part = this.#matches.parts[partNumber]!;
      const names = [...this.#names].filter((name) => !isStopword(name));
      holders = names.map((name) => documentsOf(part.postings(termOf(name))));
      this.#holders[partNumber] = holders;
    }
    return holders;
  }

  /** Between people, a turn that only asks repeats the question. With an assistant, users tell about themselves in questions. */
  #question(part: Part, document: number): number {
    const isAsking = (part.kind[document]! & KIND_ASKS) !== 0 && isNamedSpeaker(part, document);
    return isAsking && this.#askedOfNames !== 'sayings' ? -ASKING_PENALTY : 0;
  }

  /** What says a time is as good for those who ask when as what is of a time for those who name it. */
  #time(part: Part, document: number, closeness: number): number {
    return NAMED_TIME * (this.#times.isWhen && this.#times.saysTime(part, document) ? 1 : closeness);
  }

  /** How close a document is to a time that the query names, 0 to 1; 0 when it names none. */
  closeness(part: Part, document: number): number {
    return this.#times.closeness(part, document);
  }
}

export function isTurn(part: Part, document: number): boolean {
  return (part.kind[document]! & KIND_TYPE_MASK) === TURN;
}

/** What words count in a memory of its length: 1 up to the pivot, less above it (pivoted length normalisation). */
export function lengthFactor(part: Part, document: number): number {
  return 1 / (1 + LENGTH_SLOPE * Math.max(0, part.length[document]! / LENGTH_PIVOT - 1));
}

/** Whether a turn has a speaker with a name, and not just a role. */
function isNamedSpeaker(part: Part, document: number): boolean {
  return (part.kind[document]! & KIND_NAMED) !== 0;
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
