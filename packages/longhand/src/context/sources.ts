import type { Message } from '../core/messages.ts';
import type { FoundMemory } from '../core/query.ts';
import type { Preferences, Provenance, TrustTier } from '../core/records.ts';
import type { NearMiss } from './manifest.ts';

/** Everything that a context can be made of, gathered from the layers. The assembler reads nothing else. */
export interface ContextSources {
  /** Part of the keys of what is kept because it is too long. */
  readonly session?: string;
  readonly agent?: {
    readonly id: string;
    readonly name: string;
    /** “You are NAME.” when null or blank. */
    readonly systemPrompt: string | null;
  };
  readonly privateMemory?: {
    /** Oldest first. */
    readonly core: readonly PrivateEntry[];
    /** Those that are still young enough for the prompt, oldest first. */
    readonly journal: readonly PrivateEntry[];
  };
  /** What the agents of the account share, oldest first. */
  readonly whiteboard?: readonly PrivateEntry[];
  readonly notes?: StoredText | undefined;
  /** The others in a group conversation; left out when there are none. */
  readonly participants?: readonly string[];
  /** Of the session: its language and verbosity become a line of the prompt. */
  readonly preferences?: Preferences;
  readonly summary?: StoredText | undefined;
  /** The user's preferences, decisions and findings that may stand in every prompt, those that go in first first. */
  readonly standing?: readonly RecalledMemory[];
  /** The unsummarised messages before this turn, oldest first; the newest of them when there are very many. */
  readonly conversation: readonly StoredMessage[];
  /** How many unsummarised messages there are before those, not handed over because they cannot fit. */
  readonly earlierMessages?: number;
  /** The day on which it is asked, where it is: `Wednesday, 2026-11-18`. */
  readonly today?: string;
  /** Best first. */
  readonly memories: readonly RecalledMemory[];
  /** Best first. */
  readonly details: readonly DetailReference[];
  /** Large values of this conversation, newest first: their placeholders stay in sight as far as there is room. */
  readonly placeholders: readonly DetailReference[];
  /** What could not be had from its layer, and why. */
  readonly misses?: readonly NearMiss[];
  /** This turn: the user's new message, and the tool calls and results that followed it. */
  readonly newMessages: readonly StoredMessage[];
}

/** A memory that was found, with the day on which it was written in the time zone of the request; that of UTC when left out. */
export type RecalledMemory = FoundMemory & { readonly day?: string };

export type StoredMessage = Message & { readonly provenance?: Provenance };

/** Notes, or a summary. */
export interface StoredText {
  /** For the manifest: whose notes and which version, or which messages are summarised. */
  readonly id: string;
  readonly text: string;
  /** The lowest of what it was made from. */
  readonly trust: TrustTier;
  /** Of a summary: how many messages it covers. */
  readonly count?: number;
}

/** A journal entry or a core memory. */
export interface PrivateEntry {
  readonly id: string;
  readonly content: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly pinned?: boolean;
  readonly provenance?: Provenance;
}

/** A large value that is kept outside the prompt. */
export interface DetailReference {
  readonly key: string;
  readonly description: string;
  readonly trust: TrustTier;
  readonly relevance?: number;
}
