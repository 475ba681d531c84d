/**
 * What age and use have left of a memory, in one query: its decay and its recency, after the policy of its session.
 *
 * A question that names a time asks for what is from then. A memory from that time has not faded for it: its decay
 * is at least its closeness to the time that is meant. Otherwise "four months ago" would lose to this morning, by
 * the very age that was asked for.
 */

import { MEMORY_TYPES } from '../core/records.ts';
import { type DecayPolicy, decayFactor, decayFactorOfAge, MAX_RECENCY_BONUS, recencyBoost } from './decay.ts';
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
export const MAX_LOG_WORTH = Math.log(MAX_BOOST);
const LOGS_FROM_ABOVE = Float64Array.from(
  { length: LOG_STEPS + 1 },
  (_, step) =>
    // A little more, so that rounding never makes the bound too low.
    Math.log(((step + 1) / LOG_STEPS) * MAX_BOOST) + 1e-9,
);

export interface MemoryFreshness {
  readonly decay: number;
  readonly recency: number;
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
    const timestampMs = part.time[document]!;
    const uses = this.#usesOf(part.session[document]!);
    const use = uses === null ? undefined : part.useOf(document, uses);
    const decay = this.#decay(part, document, timestampMs, use);
    const recency = recencyBoost(use?.lastAccessMs ?? timestampMs, this.#nowMs);
    return { decay: Math.max(decay, closeness), recency };
  }

  /** The logarithm of importance × decay × recency. */
  logWorth(part: Part, document: number, closeness: number): number {
    const { decay, recency } = this.of(part, document, closeness);
    return Math.log(part.importance[document]! * decay * recency);
  }

  /**
   * For the documents of a part: no less than `logWorth`, without an exponential, a logarithm or a look at the uses.
   * Runs for every memory that holds a common word.
   *
   * @param hasMentions whether the query names a time, to which any of them may be close
   */
  logWorthAtMost(part: Part, hasMentions: boolean): (document: number) => number {
    const { session, kind, time, importance } = part;
    const nowMs = this.#nowMs;
    const { policy } = this.#request;
    if (!(this.#hasPolicies || this.#hasUses || hasMentions || isSlowed(policy))) {
      const rates = Float64Array.from(policy.ratePerMsByTypeIndex);
      const { minDecayFactor } = policy;
      return (document) => {
        const age = nowMs - time[document]!;
        const halvings = age > 0 ? rates[kind[document]! & KIND_TYPE_MASK]! * age : 0;
        const decay = Math.max(decayAtMost(halvings), minDecayFactor);
        return logAtMost(importance[document]! * decay * (age > RECENT_MS ? BOOST_AFTER_RECENT : MAX_BOOST));
      };
    }
    return (document) => {
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

  #decay(part: Part, document: number, timestampMs: number, use: MemoryUse | undefined): number {
    const policy = this.#policyOf(part.session[document]!);
    const type = part.kind[document]! & KIND_TYPE_MASK;
    if (use !== undefined || policy.relatedShare > 0) {
      const input = { ...use, type: MEMORY_TYPES[type]!, timestampMs };
      const freshestRelatedMs =
        policy.relatedShare > 0 ? this.#index.freshestRelatedMs(part, document) : timestampMs;
      return decayFactor({ ...input, freshestRelatedMs }, policy, this.#nowMs);
    }
    const rate = policy.ratePerMsByTypeIndex[type]!;
    return decayFactorOfAge(this.#nowMs - timestampMs, rate, policy.minDecayFactor);
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
