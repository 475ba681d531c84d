/** Search as it is described, with maps and arrays and no index. Texts and times are read as the source reads them. */

import type { DecayConfig } from '../src/core/decay-config.ts';
import type { DecayOverride } from '../src/core/records.ts';
import { naiveDecay, naiveRecency } from './naive/naive-decay.ts';
import { byIdentity, type Document, type Memory, type Of, readDocument } from './naive/naive-document.ts';
import { type Meaning, standingOut } from './naive/naive-meaning.ts';
import {
  isNoteAbout,
  type ModelTerm,
  type ModelTimes,
  readQuestion,
  readTimes,
} from './naive/naive-question.ts';
import * as shared from './naive/shared.ts';
import { weights } from './naive/shared.ts';

/** Only so many terms tell apart what a turn has itself and what its neighbours lend. */
const MARKED_TERMS = 32;
const AROUND = [-1, -2, 1, 2];
const lendingOf = (step: number): number =>
  step === -1 ? weights.PREVIOUS_TURN : step === 1 ? weights.NEXT_TURN : weights.SECOND_TURN;

/** A search, with the settings that its policies of decay come from. */
export interface ModelRequest extends shared.SearchRequest {
  readonly decay?: DecayConfig;
  readonly overrides?: ReadonlyMap<string, DecayOverride>;
}
export type ModelHit = Omit<shared.SearchHit, 'place' | 'timestampMs'>;
/** A reference may mean what is gone: then it is an id. */
type Node = Memory | string;

/** What is found, before it is put in order. */
interface Found {
  readonly strengths: ReadonlyMap<Memory, number>;
  /** With a text: the highest strength, of whatever matches, and what is found not only by its neighbours. */
  readonly strongest?: number;
  readonly matched?: readonly Memory[];
  readonly times?: ModelTimes;
  readonly matchOf?: Of<number>;
  readonly explain?: Of<Partial<ModelHit>>;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
const rarity = (holders: number, all: number): number =>
  Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
const saturated = (frequency: number, saturation: number, slope = saturation): number =>
  (frequency * (1 + saturation)) / (frequency + slope);

export class Model {
  readonly #documents: readonly Memory[];
  /** Session → its documents in their order. */
  readonly #sessions: ReadonlyMap<string, readonly Memory[]>;
  readonly #meaning: Meaning | undefined;
  readonly #words: shared.TextVectors | undefined;

  /** @param words the table of the index, whose words are no typos */
  constructor(documents: readonly Document[], meaning?: Meaning, words?: shared.TextVectors) {
    this.#documents = documents.map(readDocument);
    const inOrder = this.#documents.toSorted((left, right) => left.order - right.order);
    this.#sessions = Map.groupBy(inOrder, ({ entry }) => entry.session_id);
    this.#meaning = meaning;
    this.#words = words;
  }

  /** All hits, best first, whatever the limit. */
  search(request: ModelRequest): ModelHit[] {
    const { isBlank, words, wildcards } = shared.readQueryText(request.text ?? '');
    if (!isBlank && words.length === 0 && wildcards.length === 0) return [];
    const listed = new Map(this.#passing(request).map((each) => [each, 0]));
    return this.#hits(request, isBlank ? { strengths: listed } : this.#find(request));
  }

  #read(request: shared.SessionSearchRequest | shared.SearchRequest) {
    const times = readTimes(request);
    const question = readQuestion(this.#documents, times, this.#words);
    const passing = this.#passing(request, question.required);
    const near = passing.filter((each) => times.closeness(each) >= weights.NEAR_IN_TIME);
    const found = question.isLeftToTimes ? [] : passing;
    const meaning = this.#meaning && standingOut(this.#meaning, times.rest, this.#documents, found);
    const isSaid: Of<boolean> = (each) => each.names.some((name) => question.names.has(name));
    return { ...question, times, passing, near, meaning, isSaid };
  }

  /** In order, with all that a result reports of them. */
  #hits(request: ModelRequest, found: Found): ModelHit[] {
    const { strengths, strongest, matched = [], times, matchOf = () => 1, explain } = found;
    const { sortBy = 'relevance', minMatch = 0, collapse = false } = request;
    const collapses = collapse && strongest !== undefined && (sortBy === 'relevance' || sortBy === 'match');
    const ranked = this.#ordered(request, strengths, times).filter((each) => matchOf(each) >= minMatch);
    const first = new Map(ranked.toReversed().map((each) => [each.sameText, each]));
    const given = collapses ? ranked.filter((each) => first.get(each.sameText) === each) : ranked;
    return given.map((memory) => {
      const { id, session_id: sessionId, importance } = memory.entry;
      const strength = strengths.get(memory)!;
      const { decay, recency } = this.#freshness(memory, request, times);
      const quality = strongest === undefined ? 1 : Math.exp(weights.SHARPNESS * (strength - strongest));
      const relevance = importance * decay * recency * quality;
      const same = matched.filter(({ sameText }) => collapses && sameText === memory.sameText);
      const duplicates = Math.max(0, same.length - 1);
      const factors = { importance, decay, recency, quality, relevance, match: matchOf(memory) };
      return { id, sessionId, ...factors, strength, duplicates, ...explain?.(memory) };
    });
  }

  #ordered(request: ModelRequest, strengths: Found['strengths'], times?: ModelTimes): Memory[] {
    const keyOf = ([memory, strength]: readonly [Memory, number]): number => {
      if (request.sortBy === 'match') return strength;
      if (request.sortBy === 'time') return memory.time;
      if (request.sortBy === 'importance') return memory.entry.importance;
      const { decay, recency } = this.#freshness(memory, request, times);
      return Math.log(memory.entry.importance * decay * recency) + weights.SHARPNESS * strength;
    };
    const keys = new Map(Array.from(strengths, (each) => [each[0], keyOf(each)] as const));
    return [...keys.keys()].sort((one, other) => {
      const [left, right] = [keys.get(one)!, keys.get(other)!];
      return left === right ? byIdentity(one, other) : right - left;
    });
  }

  #freshness(memory: Memory, { decay: config = {}, nowMs, ...request }: ModelRequest, times?: ModelTimes) {
    const { entry, time } = memory;
    const use = request.usesOfSession?.get(entry.session_id)?.get(entry.id);
    const related = config.related?.enabled ? this.#nextTo(memory) : [];
    const relatives = related.flatMap((each) => (typeof each === 'string' ? [] : each.time));
    const fading = { type: entry.type, time, uses: use?.accessCount ?? 0, relatives };
    const decay = naiveDecay(
      fading,
      { config, override: request.overrides?.get(entry.session_id) ?? {} },
      nowMs,
    );
    const recency = naiveRecency(Math.max(use?.lastAccessMs ?? time, time), nowMs);
    return { decay: Math.max(decay, times?.closeness(memory) ?? 0), recency };
  }

  /** @param required phrases */
  #passing(request: shared.MemoryFilter, required: readonly (readonly string[])[] = []): Memory[] {
    const { types, startMs = -Infinity, endMs = Infinity, minImportance = 0, agents } = request;
    const { include = [], exclude = [], mode = 'all', exact = false } = request.tags ?? {};
    const sessions = request.sessions && [...request.sessions];
    const authors = request.authors?.map((name) => name.toLowerCase());
    const related = request.references && this.#related(request, request.references);
    return this.#documents.filter((memory) => {
      const { entry, time, said, hasPhrase } = memory;
      const hasTag = (asked: string): boolean =>
        entry.tags.some((tag) => shared.tagCovers(asked, tag, exact));
      return (
        (types?.includes(entry.type) ?? true) &&
        (include.length === 0 || (mode === 'all' ? include.every(hasTag) : include.some(hasTag))) &&
        !exclude.some(hasTag) &&
        startMs <= time &&
        time <= endMs &&
        entry.importance >= minImportance &&
        (sessions?.includes(entry.session_id) ?? true) &&
        (authors?.includes(said.author.toLowerCase()) ?? true) &&
        (agents?.includes(entry.provenance.agent_id ?? '') ?? true) &&
        (related?.has(memory) ?? true) &&
        required.every(hasPhrase)
      );
    });
  }

  /** What a reference in a session means: its own memory, else those of others, else the id alone. */
  #meant(session: string | undefined, id: string): Node[] {
    const all = this.#documents.filter(({ entry }) => entry.id === id);
    const own = all.filter(({ entry }) => entry.session_id === session);
    return own.length > 0 ? own : all.length > 0 ? all : [id];
  }

  /** One step of references away. */
  #nextTo(node: Node): Node[] {
    const targets: Of<Node[]> = ({ entry }) =>
      entry.references.flatMap((id) => this.#meant(entry.session_id, id));
    const incoming = this.#documents.filter((each) => targets(each).includes(node));
    return typeof node === 'string' ? incoming : [...targets(node), ...incoming];
  }

  #related({ referencesFrom, maxDepth = 1 }: shared.MemoryFilter, references: readonly string[]): Set<Node> {
    const starts = references.flatMap((id) => this.#meant(referencesFrom, id));
    let reached = new Set(starts);
    for (let depth = 0; depth < maxDepth; depth++)
      reached = new Set([...reached, ...[...reached].flatMap((node) => this.#nextTo(node))]);
    return new Set([...reached].filter((node) => !starts.includes(node)));
  }

  /** Every memory and session, measured by some terms. */
  #measured(terms: readonly ModelTerm[], saturation: number, idealTerms: number, counts: Of<number>) {
    const all = Math.max(weights.FEW_TEXTS, this.#documents.length);
    const unheld = terms.filter(({ held }) => held.size === 0);
    const counted = terms
      .filter(({ held }) => held.size > 0)
      .sort((left, right) => left.held.size - right.held.size || (left.name < right.name ? -1 : 1))
      .slice(0, weights.MAX_SCORED_TERMS);
    const room = weights.MAX_SCORED_TERMS - counted.length;
    const wholeOf = ({ held }: ModelTerm): number => rarity(held.size, all);
    const weightOf = (term: ModelTerm): number => wholeOf(term) * (term.share ?? 1);
    const gain = (term: ModelTerm, frequency = 0): number =>
      weightOf(term) * saturated(frequency, weights.WORD_SATURATION);
    // Single precision, one term behind the other.
    const score: Of<number> = (memory) =>
      counted.reduce((total, term) => Math.fround(total + gain(term, term.held.get(memory))), 0);
    const scores = new Map(this.#documents.map((memory) => [memory, score(memory)]));
    const idealOf = (count: number): number => Math.min(1, idealTerms / (count || 1));
    const unheldCount = Math.min(unheld.length, room);
    const sought = unheldCount * rarity(0, all) + sum(counted.map(wholeOf));
    const ideal = sought * idealOf(counted.length + unheldCount) || 1;

    const marked = counted.slice(0, MARKED_TERMS);
    const words = marked.filter(({ isTime }) => isTime !== true);
    const unheldWords = unheld.filter(({ isTime }) => isTime !== true).slice(0, room);
    const asked = sum([...words, ...unheldWords].map(wholeOf));
    /** What a memory holds of all words that are asked for. */
    const heldOf: Of<number> = (memory) =>
      asked === 0 ? 1 : sum(words.filter(({ held }) => held.has(memory)).map(weightOf)) / asked;

    const isOpen = unheld.some(({ isTime }) => isTime !== true) || terms.some(({ share = 1 }) => share < 1);
    /** Whether a memory holds every word that is asked for. */
    const isWhole: Of<boolean> = (memory) =>
      words.length > 0 && !isOpen && words.every(({ held }) => held.has(memory));

    const average = sum(this.#documents.map(({ length }) => length)) / Math.max(1, this.#sessions.size) || 1;
    const inSessions = counted.map(({ held, share = 1 }) => {
      const count = (id: string): number =>
        sum((this.#sessions.get(id) ?? []).map((each) => (held.get(each) ?? 0) * counts(each)));
      const holders = [...this.#sessions.keys()].filter((id) => count(id) > 0).length;
      return { count, share, whole: rarity(holders, this.#sessions.size) };
    });
    const idealSession = sum(inSessions.map(({ whole }) => whole)) * idealOf(counted.length) || 1;
    /** What a session has of an ideal one. */
    const sessionShare = (id: string): number => {
      const length = sum((this.#sessions.get(id) ?? []).map((each) => each.length)) / average;
      const slope = saturation * (1 - weights.SESSION_LENGTH_SHARE + weights.SESSION_LENGTH_SHARE * length);
      const gains = inSessions.map(
        (term) => term.whole * term.share * saturated(term.count(id), saturation, slope),
      );
      return sum(gains) / idealSession;
    };
    const ownScore: Of<number> = (memory) => scores.get(memory)!;
    return { marked, weightOf, own: ownScore, ideal, heldOf, isWhole, sessionShare };
  }

  #neighbour(memory: Memory, step: number): Memory | undefined {
    const session = this.#sessions.get(memory.entry.session_id)!;
    return session[session.indexOf(memory) + step];
  }

  #find(request: ModelRequest): Found {
    const { times, terms, names, asked, isOfTime, passing, near, meaning, isSaid } = this.#read(request);
    const mostOfMeaning = weights.SIMILARITY * weights.MOST_DEVIATIONS;
    if (isOfTime) {
      const meant: Of<number> = (each) =>
        times.isAlone ? 0 : (each.lengthFactor * (meaning?.worth(each, 1) ?? 0)) / mostOfMeaning;
      const strengths = new Map(near.map((each) => [each, times.closeness(each) + meant(each)]));
      const matchOf: Of<number> = (each) => (times.isAlone ? 1 : weights.MEANING_MATCH * meant(each));
      return { strengths, strongest: Math.max(0, ...strengths.values()), matched: near, times, matchOf };
    }
    const measured = this.#measured(terms, weights.SESSION_SATURATION, weights.IDEAL_TERMS, () => 1);
    const { marked, weightOf, own, ideal, heldOf, isWhole, sessionShare } = measured;
    const similarity = (memory: Memory, words: number): number => {
      const isNearest = !memory.isTurn && isWhole(memory);
      const worth = isNearest ? meaning?.highest(words) : meaning?.worth(memory, words);
      return memory.lengthFactor * (worth ?? 0);
    };
    const isNote = isNoteAbout(names);
    const isFoundBeside: Of<boolean> = (each) => own(each) > 0 || meaning?.found.has(each) === true;
    const isFound: Of<boolean> = (each) => isFoundBeside(each) || isSaid(each) || isNote(each);
    const sessionPart = (id: string): number => (asked ? 0 : weights.SESSION_PRIOR * sessionShare(id));
    const highest = Math.max(0, ...[...(request.sessions ?? this.#sessions.keys())].map(sessionPart));

    const lentTo: Of<number> = (memory) => {
      if (asked !== undefined || !memory.isTurn) return 0;
      const lent = AROUND.map((step) => {
        const neighbour = this.#neighbour(memory, step);
        if (!neighbour?.isTurn) return 0;
        const isQuestion = neighbour.hasSpeaker && (neighbour.said.kind & shared.KIND_HOLDS_QUESTION) !== 0;
        const factor = step < 0 && isQuestion ? weights.QUESTION_LENDS : 1;
        const held = marked.filter((term) => term.held.has(neighbour));
        const again = held.filter((term) => term.held.has(memory));
        const fresh = held.filter((term) => !term.held.has(memory));
        return (
          lendingOf(step) *
          factor *
          (sum(fresh.map(weightOf)) + weights.LENT_AGAIN * sum(again.map(weightOf)))
        );
      });
      return sum(lent) * (memory.hasSpeaker ? 1 : weights.UNNAMED_NEIGHBOURS) * memory.lengthFactor;
    };
    const authorPart = (memory: Memory, lent: number): number => {
      if (!isSaid(memory) && !isNote(memory)) return 0;
      if (asked === 'sayings') return isSaid(memory) ? weights.NAMED_AUTHOR : 0;
      if (asked === 'notes') return isSaid(memory) ? weights.NAMED_ALONE : weights.NAMED_AUTHOR;
      return isFoundBeside(memory) || lent > 0 ? weights.NAMED_AUTHOR : weights.NAMED_ALONE;
    };
    const partsOf = (memory: Memory, lent: number): shared.MatchParts => {
      const { isTurn, hasSpeaker, entry, said } = memory;
      const words = (own(memory) * memory.lengthFactor) / ideal;
      const saysTime = times.isWhen && said.days.has(shared.spokenTerm(shared.time.SAYS_TIME));
      const asks = hasSpeaker && (said.kind & shared.KIND_ASKS) !== 0 && asked !== 'sayings';
      const ofSession = (hasSpeaker ? 1 : weights.UNNAMED_SESSION) * sessionPart(entry.session_id);
      return {
        words,
        neighbours: lent / ideal,
        session: isTurn ? ofSession : highest,
        author: authorPart(memory, lent),
        time: weights.NAMED_TIME * (saysTime ? 1 : times.closeness(memory)),
        question: asks ? -weights.ASKING_PENALTY : 0,
        ...(meaning && { similarity: similarity(memory, words) }),
      };
    };
    const strengthOf = (memory: Memory, lent: number): number =>
      Math.max(0, sum(Object.values(partsOf(memory, lent))));

    const matched = passing.filter(isFound);
    const strengths = new Map(matched.map((memory) => [memory, strengthOf(memory, 0)]));
    const { sortBy = 'relevance' } = request;
    const order = { ...request, sortBy: sortBy === 'match' ? sortBy : 'relevance' } as const;
    const candidates = this.#ordered(order, strengths, times).slice(0, weights.CANDIDATES);
    const best = Math.max(0, ...candidates.map(own));
    const lending = candidates.filter((each) => each.isTurn && own(each) >= weights.LENDING_SHARE * best);
    const around = lending.flatMap((each) => AROUND.map((step) => this.#neighbour(each, step)));
    const compared = new Set([...candidates, ...passing.filter((each) => around.includes(each))]);
    let strongest = Math.max(0, ...strengths.values());
    for (const memory of compared) {
      const lent = lentTo(memory);
      if (!isFound(memory) && lent === 0) continue;
      strongest = Math.max(strongest, strengthOf(memory, lent));
      const isHit = isFound(memory) || sortBy === 'relevance' || sortBy === 'match';
      if (isHit) strengths.set(memory, strengthOf(memory, lent));
    }

    const matchOf: Of<number> = (each) =>
      Math.min(1, heldOf(each) + weights.MEANING_MATCH * (similarity(each, 1) / mostOfMeaning));
    const explain: Of<Partial<ModelHit>> = (memory) => {
      const matchedWords = new Set(
        terms.filter(({ held }) => held.has(memory)).flatMap(({ typed }) => typed ?? []),
      );
      const lent = compared.has(memory) ? lentTo(memory) : 0;
      return { matchParts: partsOf(memory, lent), matchedWords: [...matchedWords] };
    };
    return { strengths, strongest, matched, times, matchOf, explain };
  }

  /** The sessions that a question is about, best first, with their relevance. */
  searchSessions(request: shared.SessionSearchRequest): shared.SessionHit[] {
    const { times, terms, names, text, isOfTime, passing, near, meaning, isSaid } = this.#read(request);
    const { SESSION_RANK_SATURATION, WORD_SATURATION, NAMED_AUTHOR, NAMED_TIME } = weights;
    const side = sideOf(text.words);
    const counts: Of<number> = ({ said }) => ((said.kind & side) === 0 ? 1 : weights.NAMED_SIDE);
    const { own, ideal, sessionShare } = this.#measured(terms, SESSION_RANK_SATURATION, Infinity, counts);
    const ofTurn = names.size === 0 ? 0 : NAMED_AUTHOR * (1 + WORD_SATURATION);
    const ofMeaning = meaning === undefined ? 0 : weights.SIMILARITY * weights.MOST_DEVIATIONS;
    const most = 1 + SESSION_RANK_SATURATION + ofTurn + NAMED_TIME + ofMeaning;
    const found = isOfTime ? near : passing.filter((each) => own(each) > 0 || meaning?.found.has(each));
    const ranked = [...Map.groupBy(found, ({ entry }) => entry.session_id)].map(([sessionId, turns]) => {
      const best = (value: Of<number>): number => Math.max(0, ...turns.map(value));
      const words: Of<number> = (turn) => (own(turn) * turn.lengthFactor) / ideal;
      const time = best(times.closeness);
      const ofWords = NAMED_AUTHOR * best((turn) => (isSaid(turn) ? words(turn) : 0));
      const beside = NAMED_TIME * time + best((turn) => turn.lengthFactor * (meaning?.worth(turn, 1) ?? 0));
      const relevance = isOfTime ? time : (sessionShare(sessionId) + ofWords + beside) / most;
      return { sessionId, relevance: Math.round(relevance * 1e6) / 1e6, newest: best((turn) => turn.time) };
    });
    ranked.sort((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
    ranked.sort((one, other) => other.relevance - one.relevance || other.newest - one.newest);
    return ranked.map(({ sessionId, relevance }) => ({ sessionId, relevance }));
  }
}

/** Who is spoken of: "I" is the user, "you" the assistant, but for the one who is asked a favour. */
function sideOf(words: readonly string[]): number {
  const said = words.slice(shared.requestVerb(words) + 1);
  if (said.some((word) => /^you('re|'ve|'d|'ll|r|rs)?$/.test(word))) return shared.KIND_BY_ASSISTANT;
  const isOfUser = words.some((word) => /^(i('m|'ve|'d|'ll)?|me|my|mine|myself|we|our|us)$/.test(word));
  return isOfUser ? shared.KIND_BY_USER : 0;
}
