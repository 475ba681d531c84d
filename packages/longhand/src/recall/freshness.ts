/**
 * What age and use have left of a memory, in one query: its decay and its recency, after the policy of its session.
 *
 * A question that names a time asks for what is from then. A memory from that time has not faded for it: its decay
 * is at least its closeness to the time that is meant. Otherwise "four months ago" would lose to this morning, by
 * the very age that was asked for.
 */

import { MEMORY_TYPES } from '../core/records.ts';
import { grown } from './columns.ts';
import {
  type DecayPolicy,
  decayFactor,
  decayFactorOfAge,
  lastTouchedMs,
  MAX_RECENCY_BONUS,
  recencyBoost,
} from './decay.ts';
import { KIND_TYPE_MASK } from './entry-text.ts';
import type { MemoryUse, MemoryUses } from './memory-uses.ts';
import type { Part } from './part.ts';
import type { RecallIndex } from './recall-index.ts';
import type { SearchRequest } from './search-request.ts';

/** When the last use is longer ago than this, less than a hundredth of the bonus is left. */
const RECENT_MS = 7 * 86_400_000;
const BOOST_AFTER_RECENT = 1 + MAX_RECENCY_BONUS / 2 ** 7;

/** Steps of the table of logarithms: the bound is off by a step at most. */
const LOG_STEPS = 1024;
const MAX_BOOST = 1 + MAX_RECENCY_BONUS;
/** `logWorth` of a memory of the highest importance that was just written. */
const MAX_LOG_WORTH = Math.log(MAX_BOOST);
const LOGS_FROM_ABOVE = new Float64Array(LOG_STEPS + 1).map(
  (_, step) =>
    // A little more, so that rounding never makes the bound too low.
    Math.log(((step + 1) / LOG_STEPS) * MAX_BOOST) + 1e-9,
);

/** What a use just now adds at most to the logarithm, for a memory that counted as not used lately. */
const LOG_OF_USE = Math.log(MAX_BOOST / BOOST_AFTER_RECENT) + 1e-9;

/** Bounds that are kept are as tight as they were so long ago. */
const BOUNDS_KEPT_MS = 3_600_000;
/** Kept as 32 bits, a bound may be off by so much. */
const BOUND_ROUNDING = 1e-5;
/** Kept bounds are moved by this below 0, which stands for "not known". */
const BOUND_SHIFT = 1;

/**
 * The bounds of a part's memories, unused, as far as queries asked for them.
 *
 * What age leaves of a memory only becomes less. So a bound holds at every later moment too, and a common word
 * need not work it out for thousands of memories with every query.
 */
interface KeptBounds {
  values: Float32Array;
  policy: DecayPolicy;
  nowMs: number;
}

const keptBounds = new WeakMap<Part, KeptBounds>();

export interface MemoryFreshness {
  readonly decay: number;
  readonly recency: number;
}

export interface WorthBounds {
  /** No less than `logWorth` of any document of the part. */
  readonly ofPart: number;
  /** No less than `logWorth` of a document. */
  logWorthAtMost(document: number): number;
}

export class FreshnessReader {
  readonly #index: RecallIndex;
  readonly #request: SearchRequest;
  readonly #nowMs: number;
  /** By the number of a session: its policy and its uses, as far as they were asked for. */
  readonly #policies: DecayPolicy[] = [];
  readonly #uses: (MemoryUses | null)[] = [];
  readonly #hasPolicies: boolean;
  readonly #hasUses: boolean;

  constructor(index: RecallIndex, request: SearchRequest, nowMs: number) {
    this.#index = index;
    this.#request = request;
    this.#nowMs = nowMs;
    this.#hasPolicies = (request.policyOfSession?.size ?? 0) > 0;
    this.#hasUses = (request.usesOfSession?.size ?? 0) > 0;
  }

  /** @param closeness to the time that the query names, 0 when it names none */
  of(part: Part, document: number, closeness: number): MemoryFreshness {
    const use = this.#useOf(part, document);
    return {
      decay: this.#decay(part, document, use, closeness),
      recency: this.#recency(part, document, use),
    };
  }

  /** The logarithm of importance × decay × recency. */
  logWorth(part: Part, document: number, closeness: number): number {
    const use = this.#useOf(part, document);
    const decay = this.#decay(part, document, use, closeness);
    return Math.log(part.importance[document]! * decay * this.#recency(part, document, use));
  }

  /**
   * Bounds for the documents of a part, without an exponential, a logarithm or a look at the uses. They are asked
   * for with every memory that holds a common word.
   *
   * @param hasMentions whether the query names a time, to which any of them may be close
   */
  worthBounds(part: Part, hasMentions: boolean): WorthBounds {
    const { session, kind, time, importance } = part;
    const nowMs = this.#nowMs;
    const { policy } = this.#request;
    if (!(this.#hasPolicies || hasMentions || isSlowed(policy))) return this.#keptBounds(part);
    const logWorthAtMost = (document: number): number => {
      const own = this.#policyOf(session[document]!);
      const age = nowMs - time[document]!;
      let decay = 1;
      if (age > 0 && !hasMentions && !isSlowed(own)) {
        const halvings = own.ratePerMsByTypeIndex[kind[document]! & KIND_TYPE_MASK]! * age;
        decay = Math.max(decayAtMost(halvings), own.minDecayFactor);
      }
      const isUnused = age > RECENT_MS && this.#usesOf(session[document]!) === null;
      return logAtMost(importance[document]! * decay * (isUnused ? BOOST_AFTER_RECENT : MAX_BOOST));
    };
    return { ofPart: MAX_LOG_WORTH, logWorthAtMost };
  }

  #keptBounds(part: Part): WorthBounds {
    const { session, kind, time, importance, newestMs } = part;
    const { policy } = this.#request;
    const { values, nowMs } = boundsOf(part, policy, this.#nowMs);
    const rates = policy.ratePerMsByTypeIndex;
    const hasUses = this.#hasUses;
    const unused = (type: number, timeMs: number, weight: number): number => {
      const age = nowMs - timeMs;
      const decay = Math.max(decayAtMost(age > 0 ? rates[type]! * age : 0), policy.minDecayFactor);
      return logAtMost(weight * decay * (age > RECENT_MS ? BOOST_AFTER_RECENT : MAX_BOOST));
    };
    const logWorthAtMost = (document: number): number => {
      let kept = values[document]!;
      if (kept === 0) {
        const bound = unused(kind[document]! & KIND_TYPE_MASK, time[document]!, importance[document]!);
        kept = bound + BOUND_ROUNDING - BOUND_SHIFT;
        values[document] = kept;
      }
      const isUsed = hasUses && this.#usesOf(session[document]!) !== null;
      return kept + (isUsed ? BOUND_SHIFT + LOG_OF_USE : BOUND_SHIFT);
    };
    let ofPart = Number.NEGATIVE_INFINITY;
    for (let type = 0; type < newestMs.length; type++) {
      if (newestMs[type]! > Number.NEGATIVE_INFINITY) {
        ofPart = Math.max(ofPart, unused(type, newestMs[type]!, 1));
      }
    }
    return { ofPart: hasUses ? ofPart + LOG_OF_USE : ofPart, logWorthAtMost };
  }

  #usesOf(session: number): MemoryUses | null {
    if (!this.#hasUses) return null;
    let uses = this.#uses[session];
    if (uses === undefined) {
      uses = this.#request.usesOfSession?.get(this.#index.registry.ids[session]!) ?? null;
      this.#uses[session] = uses;
    }
    return uses;
  }

  #policyOf(session: number): DecayPolicy {
    const { policy, policyOfSession } = this.#request;
    if (!this.#hasPolicies) return policy;
    let own = this.#policies[session];
    if (own === undefined) {
      own = policyOfSession?.get(this.#index.registry.ids[session]!) ?? policy;
      this.#policies[session] = own;
    }
    return own;
  }

  #useOf(part: Part, document: number): MemoryUse | undefined {
    const uses = this.#usesOf(part.session[document]!);
    return uses === null ? undefined : part.useOf(document, uses);
  }

  #recency(part: Part, document: number, use: MemoryUse | undefined): number {
    return recencyBoost(lastTouchedMs(part.time[document]!, use), this.#nowMs);
  }

  #decay(part: Part, document: number, use: MemoryUse | undefined, closeness: number): number {
    const timestampMs = part.time[document]!;
    const policy = this.#policyOf(part.session[document]!);
    const type = part.kind[document]! & KIND_TYPE_MASK;
    if (isSlowed(policy)) {
      const input = { ...use, type: MEMORY_TYPES[type]!, timestampMs };
      const freshestRelatedMs =
        policy.relatedShare > 0 ? this.#index.freshestRelatedMs(part, document) : timestampMs;
      return Math.max(decayFactor({ ...input, freshestRelatedMs }, policy, this.#nowMs), closeness);
    }
    const rate = policy.ratePerMsByTypeIndex[type]!;
    return Math.max(decayFactorOfAge(this.#nowMs - timestampMs, rate, policy.minDecayFactor), closeness);
  }
}

/** Whether use or relatives may slow decay. */
function isSlowed(policy: DecayPolicy): boolean {
  return policy.maxHalfLifeMultiplier > 1 || policy.relatedShare > 0;
}

/** By the first terms of e^x, which are a little less than e^x itself. */
function decayAtMost(halvings: number): number {
  return 1 / (1 + halvings * (1 + halvings / 2));
}

function logAtMost(worth: number): number {
  const step = (worth * (LOG_STEPS / MAX_BOOST)) | 0;
  return LOGS_FROM_ABOVE[Math.min(step, LOG_STEPS)]!;
}

function boundsOf(part: Part, policy: DecayPolicy, nowMs: number): KeptBounds {
  let kept = keptBounds.get(part);
  if (kept === undefined) {
    kept = { values: new Float32Array(part.count), policy, nowMs };
    keptBounds.set(part, kept);
  }
  if (kept.policy !== policy || nowMs < kept.nowMs || nowMs - kept.nowMs > BOUNDS_KEPT_MS) {
    kept.values.fill(0);
    kept.policy = policy;
    kept.nowMs = nowMs;
  }
  kept.values = grown(kept.values, part.count);
  return kept;
}
