/**
 * What age and use have left of a memory, in one query: its decay and its recency, after the policy of its session.
 *
 * A question that names a time asks for what is from then. A memory from that time has not faded for it: its decay
 * is at least its closeness to the time that is meant. Otherwise "four months ago" would lose to this morning, by
 * the very age that was asked for.
 */

import { MEMORY_TYPES } from '../../core/records.ts';
import { KIND_TYPE_MASK } from '../analysis/index.ts';
import type { MemoryUse, MemoryUses, Part, RecallIndex } from '../index/index.ts';
import {
  type DecayPolicy,
  decayFactor,
  decayFactorOfAge,
  lastTouchedMs,
  MAX_RECENCY_BONUS,
  recencyBoost,
} from './decay.ts';
import type { SearchRequest } from './search-request.ts';

/** When the last use is longer ago than this, less than a hundredth of the bonus is left. */
const RECENT_MS = 7 * 86_400_000;
const BOOST_AFTER_RECENT = 1 + MAX_RECENCY_BONUS / 2 ** 7;

const MAX_BOOST = 1 + MAX_RECENCY_BONUS;
/** The bound is a little more, so that rounding never makes it too low. */
const ROUNDING = 1e-9;

interface MemoryFreshness {
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
  /** By the number of a session, as far as they were asked for. */
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
   * Bounds for the documents of a part, without an exponential or a look at the uses. They are asked
   * for with every memory that holds a common word.
   *
   * @param hasMentions whether the query names a time, to which any of them may be close
   */
  worthBounds(part: Part, hasMentions: boolean): WorthBounds {
    const { session, kind, time, importance, newestMs } = part;
    const nowMs = this.#nowMs;
    const isLoose = hasMentions || this.#hasPolicies || isSlowed(this.#request.policy);
    const { ratePerMsByTypeIndex: rates, minDecayFactor } = this.#request.policy;
    const bound = (type: number, timeMs: number, weight: number, isUsed: boolean): number => {
      const age = nowMs - timeMs;
      const decay = age > 0 && !isLoose ? Math.max(decayAtMost(rates[type]! * age), minDecayFactor) : 1;
      const boost = isUsed || age <= RECENT_MS ? MAX_BOOST : BOOST_AFTER_RECENT;
      return Math.log(weight * decay * boost) + ROUNDING;
    };
    let ofPart = Number.NEGATIVE_INFINITY;
    for (let type = 0; type < newestMs.length; type++) {
      if (newestMs[type]! > Number.NEGATIVE_INFINITY)
        ofPart = Math.max(ofPart, bound(type, newestMs[type]!, 1, this.#hasUses));
    }
    const logWorthAtMost = (document: number): number => {
      const isUsed = this.#hasUses && this.#usesOf(session[document]!) !== null;
      return bound(kind[document]! & KIND_TYPE_MASK, time[document]!, importance[document]!, isUsed);
    };
    return { ofPart, logWorthAtMost };
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
    return policyOfSession?.get(this.#index.registry.ids[session]!) ?? policy;
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
