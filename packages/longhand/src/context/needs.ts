import type { StoreConfig } from '../core/config.ts';
import type { ArchivedMessage, Message } from '../core/messages.ts';
import type { CheckedQuery, FoundMemory } from '../core/query.ts';
import type { JsonObject, Provenance, TrustTier } from '../core/records.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { PrivateEntry } from './sources.ts';

/** The few methods of the layers that a context is gathered with. The layers fit as they are. */
export interface ContextNeeds {
  readonly config: Pick<StoreConfig, 'context' | 'time_zone'>;
  readonly clock: { now(): number };
  /** Loaded with the first context, as a rule. */
  readonly counter: () => TokenCounter | Promise<TokenCounter>;
  readonly sessions: {
    current(sessionId: string): Promise<{
      readonly session: { readonly user_id: string; readonly agents: readonly string[] };
    }>;
  };
  readonly agents: {
    get(agentId: string): Promise<{
      readonly id: string;
      readonly name: string;
      readonly system_prompt: string | null;
    }>;
  };
  readonly journal: {
    forPrompt(
      agentId: string,
      nowMs: number,
      userId: string,
    ): Promise<{ readonly core: readonly PrivateEntry[]; readonly journal: readonly PrivateEntry[] }>;
  };
  readonly notes: {
    /** The last good version, with the fault, when a person has saved what cannot be notes. */
    readForPrompt(
      userId: string,
      agentId: string,
    ): Promise<{
      readonly text: string;
      readonly version: number;
      readonly trust: TrustTier;
      readonly fault?: string;
    }>;
  };
  readonly details: {
    search(
      userId: string,
      text: string,
      options: { readonly limit: number; readonly minMatch: number; readonly timeZone?: string },
    ): Promise<
      readonly {
        readonly memory_key: string;
        readonly summary: string;
        readonly relevance: number;
        readonly trust: TrustTier;
      }[]
    >;
    list(
      userId: string,
      options: { readonly sessionId: string; readonly isActive: boolean; readonly limit: number },
    ): Promise<
      readonly { readonly memory_key: string; readonly summary: string; readonly provenance: Provenance }[]
    >;
    /** Whether the user has this very text under this key, in whatever session. */
    holds(userId: string, key: string, text: string): Promise<boolean>;
    /**
     * Goes on in another session when this one is full.
     * @throws ValidationError ID_TAKEN when the user has the key in another session
     */
    keep(sessionId: string, value: CapturedValue, owner: { readonly user_id: string }): Promise<unknown>;
  };
  /** None while summaries are off. */
  readonly summaries: { inUse(sessionId: string): Promise<CurrentSummary | undefined> };
  readonly transcripts: {
    state(sessionId: string): Promise<{
      readonly nextIndex: number;
      readonly present: number;
      indexOf(id: string): number | undefined;
      isGone(id: string): boolean;
      presentFrom(index: number): number;
    }>;
    latest(sessionId: string, count: number, before?: number): Promise<readonly ArchivedMessage[]>;
  };
  readonly windows: { read(sessionId: string): Promise<readonly Message[]> };
  readonly search: {
    page(sessionId: string, query: CheckedQuery): Promise<{ readonly memories: readonly FoundMemory[] }>;
  };
  /** Told which memories a prompt has made use of. */
  readonly accesses?: { note(sessionId: string, memoryId: string, userId: string): void } | undefined;
}

export interface CurrentSummary {
  readonly text: string;
  readonly summarized_count: number;
  readonly covers: { readonly first_id: string; readonly last_id: string };
  readonly trust: TrustTier;
}

export interface CapturedValue {
  readonly content: string;
  readonly key: string;
  readonly description: string;
  readonly type: string;
  readonly metadata: JsonObject;
  readonly agentId?: string;
  readonly provenance: Partial<Provenance>;
}
