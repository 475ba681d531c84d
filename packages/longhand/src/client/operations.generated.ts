// Written by scripts/generate-client.ts from the table of operations. Do not edit.

/** Of the server whose operations these are. */
export const VERSION = '0.1.0';

/** Method, address and, of those that can answer as a stream, its form. */
export const OPERATIONS = {
  createSession: ['POST', '/api/sessions'],
  listSessions: ['GET', '/api/sessions'],
  loadSession: ['GET', '/api/sessions/{session_id}'],
  updateSession: ['PATCH', '/api/sessions/{session_id}'],
  closeSession: ['POST', '/api/sessions/{session_id}/close'],
  deleteSession: ['DELETE', '/api/sessions/{session_id}'],
  getSessionStats: ['GET', '/api/sessions/{session_id}/stats'],
  exportSession: ['GET', '/api/sessions/{session_id}/export'],
  compactSession: ['POST', '/api/sessions/{session_id}/compact'],
  rebuildIndex: ['POST', '/api/sessions/{session_id}/reindex'],
  previewFading: ['GET', '/api/sessions/{session_id}/fading'],
  addMemory: ['POST', '/api/sessions/{session_id}/memories'],
  addMemories: ['POST', '/api/sessions/{session_id}/memories/batch'],
  listMemories: ['GET', '/api/sessions/{session_id}/memories'],
  queryMemories: ['POST', '/api/sessions/{session_id}/memories/query'],
  getMemory: ['GET', '/api/sessions/{session_id}/memories/{memory_id}'],
  similarMemories: ['GET', '/api/sessions/{session_id}/memories/{memory_id}/similar'],
  updateMemory: ['PATCH', '/api/sessions/{session_id}/memories/{memory_id}'],
  deleteMemory: ['DELETE', '/api/sessions/{session_id}/memories/{memory_id}'],
  deleteMemoriesByTopic: ['POST', '/api/sessions/{session_id}/memories/delete_by_topic'],
  deleteMemoriesByTimeRange: ['POST', '/api/sessions/{session_id}/memories/delete_by_time_range'],
  remember: ['POST', '/api/memories'],
  recall: ['POST', '/api/memories/recall'],
  contextOfUser: ['POST', '/api/memories/context'],
  forgetMemories: ['POST', '/api/memories/forget'],
  search: ['POST', '/api/search'],
  searchSessions: ['POST', '/api/search/sessions'],
  searchLayers: ['POST', '/api/search/layers'],
  showHealth: ['GET', '/api/health'],
  agentOptions: ['GET', '/api/agents/options'],
  listAgents: ['GET', '/api/agents'],
  createAgent: ['POST', '/api/agents'],
  getAgent: ['GET', '/api/agents/{agent_id}'],
  updateAgent: ['PATCH', '/api/agents/{agent_id}'],
  deleteAgent: ['DELETE', '/api/agents/{agent_id}'],
  listAgentMemories: ['GET', '/api/agents/{agent_id}/memories'],
  addAgentMemory: ['POST', '/api/agents/{agent_id}/memories'],
  getAgentMemory: ['GET', '/api/agents/{agent_id}/memories/{memory_id}'],
  updateAgentMemory: ['PATCH', '/api/agents/{agent_id}/memories/{memory_id}'],
  deleteAgentMemory: ['DELETE', '/api/agents/{agent_id}/memories/{memory_id}'],
  readNotes: ['GET', '/api/agents/{agent_id}/notes'],
  searchNotes: ['GET', '/api/agents/{agent_id}/notes/search'],
  writeNotes: ['PUT', '/api/agents/{agent_id}/notes'],
  changeNotes: ['PATCH', '/api/agents/{agent_id}/notes'],
  listNotesVersions: ['GET', '/api/agents/{agent_id}/notes/versions'],
  readNotesVersion: ['GET', '/api/agents/{agent_id}/notes/versions/{version}'],
  restoreNotes: ['POST', '/api/agents/{agent_id}/notes/versions/{version}/restore'],
  listDetails: ['GET', '/api/details'],
  storeDetail: ['POST', '/api/details'],
  captureOutput: ['POST', '/api/capture'],
  retrieveDetail: ['GET', '/api/details/{memory_key}'],
  updateDetail: ['PATCH', '/api/details/{memory_key}'],
  deleteDetail: ['DELETE', '/api/details/{memory_key}'],
  assembleContext: ['POST', '/api/context'],
  chat: ['POST', '/api/chat', 'events'],
  runAgent: ['POST', '/agent/run', 'events'],
  runAgentWithImages: ['POST', '/agent/vision', 'events'],
  archiveMessages: ['POST', '/api/chat/session/archive_messages'],
  listChatSessions: ['GET', '/api/chat/sessions'],
  getChatSession: ['GET', '/api/chat/sessions/{session_id}'],
  listChatMessages: ['GET', '/api/chat/sessions/{session_id}/messages'],
  analytics: ['GET', '/api/analytics'],
  references: ['GET', '/api/references'],
  readWhiteboard: ['GET', '/api/whiteboard'],
  addToWhiteboard: ['POST', '/api/whiteboard'],
  editWhiteboard: ['PATCH', '/api/whiteboard/{memory_id}'],
  wipeFromWhiteboard: ['DELETE', '/api/whiteboard/{memory_id}'],
  findProposals: ['POST', '/api/proposals'],
  listProposals: ['GET', '/api/proposals'],
  acceptProposal: ['POST', '/api/proposals/{proposal_id}/accept'],
  dismissProposal: ['POST', '/api/proposals/{proposal_id}/dismiss'],
  previewForgetting: ['POST', '/api/privacy/preview'],
  forget: ['POST', '/api/privacy/forget'],
  forgetAgent: ['POST', '/api/privacy/forget_agent'],
  redact: ['POST', '/api/privacy/redact'],
  redactAgentMemory: ['POST', '/api/agents/{agent_id}/memories/{memory_id}/redact'],
  exportUser: ['GET', '/api/privacy/export', 'lines'],
  listReceipts: ['GET', '/api/privacy/receipts'],
  verifyErased: ['POST', '/api/privacy/verify'],
  importMemories: ['POST', '/api/import'],
  createKey: ['POST', '/api/keys'],
  listKeys: ['GET', '/api/keys'],
  revokeKey: ['DELETE', '/api/keys/{key_id}'],
  endSessions: ['POST', '/api/keys/end_sessions'],
  listMembers: ['GET', '/api/members'],
  addMember: ['POST', '/api/members'],
  changeMember: ['PATCH', '/api/members/{user_id}'],
  removeMember: ['DELETE', '/api/members/{user_id}'],
  signIn: ['POST', '/api/sign_in'],
  signOut: ['POST', '/api/sign_out'],
  whoAmI: ['GET', '/api/me'],
  makeArchiveTicket: ['POST', '/api/archive_ticket'],
} as const;

export interface Operations {
  /** Begin a session. */
  readonly createSession: {
    readonly input: {
      /** The names of the agents that take part. */
      readonly agents?: ReadonlyArray<string>;
      /** What is known of how the user likes it. */
      readonly preferences?: {
        /** Which language the user prefers. */
        readonly language?: string;
        /** How much the user wants to read. */
        readonly verbosity?: string;
        /** Anything else. */
        readonly custom?: { readonly [name: string]: unknown };
      };
      /** How memories of the session fade. */
      readonly decay_config?: {
        /** Whether memories fade at all. */
        readonly enabled?: boolean;
        /** After so many hours a memory counts half; overrides the rates of the types. */
        readonly half_life_hours?: number;
        /** No memory fades below this. */
        readonly min_decay_factor?: number;
      };
      /** When the session is compacted. */
      readonly compaction_config?: {
        /** Whether the session compacts automatically when it is nearly full. */
        readonly auto_compact?: boolean;
        /** Compacts when so much of the limit is used, from 0 to 1. */
        readonly threshold?: number;
      };
      /** Names a session. */
      readonly session_id?: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Whose it is. */
      readonly user_id: string;
      /** The account that it belongs to. */
      readonly account_id: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** The names of the agents that take part. */
      readonly agents: ReadonlyArray<string>;
      /** What is known of how the user likes it. */
      readonly preferences: {
        /** Which language the user prefers. */
        readonly language?: string;
        /** How much the user wants to read. */
        readonly verbosity?: string;
        /** Anything else. */
        readonly custom?: { readonly [name: string]: unknown };
      };
      /** How memories of the session fade. */
      readonly decay_config: {
        /** Whether memories fade at all. */
        readonly enabled?: boolean;
        /** After so many hours a memory counts half; overrides the rates of the types. */
        readonly half_life_hours?: number;
        /** No memory fades below this. */
        readonly min_decay_factor?: number;
      };
      /** When the session is compacted. */
      readonly compaction_config: {
        /** Whether the session compacts automatically when it is nearly full. */
        readonly auto_compact?: boolean;
        /** Compacts when so much of the limit is used, from 0 to 1. */
        readonly threshold?: number;
      };
    };
  };
  /** The sessions of the user, by id. */
  readonly listSessions: {
    readonly input: {
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The sessions. */
      readonly sessions: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Whose it is. */
        readonly user_id: string;
        /** The account that it belongs to. */
        readonly account_id: string;
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** The names of the agents that take part. */
        readonly agents: ReadonlyArray<string>;
        /** What is known of how the user likes it. */
        readonly preferences: {
          /** Which language the user prefers. */
          readonly language?: string;
          /** How much the user wants to read. */
          readonly verbosity?: string;
          /** Anything else. */
          readonly custom?: { readonly [name: string]: unknown };
        };
        /** How memories of the session fade. */
        readonly decay_config: {
          /** Whether memories fade at all. */
          readonly enabled?: boolean;
          /** After so many hours a memory counts half; overrides the rates of the types. */
          readonly half_life_hours?: number;
          /** No memory fades below this. */
          readonly min_decay_factor?: number;
        };
        /** When the session is compacted. */
        readonly compaction_config: {
          /** Whether the session compacts automatically when it is nearly full. */
          readonly auto_compact?: boolean;
          /** Compacts when so much of the limit is used, from 0 to 1. */
          readonly threshold?: number;
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** One session, with its settings. */
  readonly loadSession: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Whose it is. */
      readonly user_id: string;
      /** The account that it belongs to. */
      readonly account_id: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** The names of the agents that take part. */
      readonly agents: ReadonlyArray<string>;
      /** What is known of how the user likes it. */
      readonly preferences: {
        /** Which language the user prefers. */
        readonly language?: string;
        /** How much the user wants to read. */
        readonly verbosity?: string;
        /** Anything else. */
        readonly custom?: { readonly [name: string]: unknown };
      };
      /** How memories of the session fade. */
      readonly decay_config: {
        /** Whether memories fade at all. */
        readonly enabled?: boolean;
        /** After so many hours a memory counts half; overrides the rates of the types. */
        readonly half_life_hours?: number;
        /** No memory fades below this. */
        readonly min_decay_factor?: number;
      };
      /** When the session is compacted. */
      readonly compaction_config: {
        /** Whether the session compacts automatically when it is nearly full. */
        readonly auto_compact?: boolean;
        /** Compacts when so much of the limit is used, from 0 to 1. */
        readonly threshold?: number;
      };
    };
  };
  /** Change what is named of a session, and leave the rest. */
  readonly updateSession: {
    readonly input: {
      /** The names of the agents that take part. */
      readonly agents?: ReadonlyArray<string>;
      /** What is known of how the user likes it. */
      readonly preferences?: {
        /** Which language the user prefers. */
        readonly language?: string;
        /** How much the user wants to read. */
        readonly verbosity?: string;
        /** Anything else. */
        readonly custom?: { readonly [name: string]: unknown };
      };
      /** How memories of the session fade. */
      readonly decay_config?: {
        /** Whether memories fade at all. */
        readonly enabled?: boolean;
        /** After so many hours a memory counts half; overrides the rates of the types. */
        readonly half_life_hours?: number;
        /** No memory fades below this. */
        readonly min_decay_factor?: number;
      };
      /** When the session is compacted. */
      readonly compaction_config?: {
        /** Whether the session compacts automatically when it is nearly full. */
        readonly auto_compact?: boolean;
        /** Compacts when so much of the limit is used, from 0 to 1. */
        readonly threshold?: number;
      };
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Whose it is. */
      readonly user_id: string;
      /** The account that it belongs to. */
      readonly account_id: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** The names of the agents that take part. */
      readonly agents: ReadonlyArray<string>;
      /** What is known of how the user likes it. */
      readonly preferences: {
        /** Which language the user prefers. */
        readonly language?: string;
        /** How much the user wants to read. */
        readonly verbosity?: string;
        /** Anything else. */
        readonly custom?: { readonly [name: string]: unknown };
      };
      /** How memories of the session fade. */
      readonly decay_config: {
        /** Whether memories fade at all. */
        readonly enabled?: boolean;
        /** After so many hours a memory counts half; overrides the rates of the types. */
        readonly half_life_hours?: number;
        /** No memory fades below this. */
        readonly min_decay_factor?: number;
      };
      /** When the session is compacted. */
      readonly compaction_config: {
        /** Whether the session compacts automatically when it is nearly full. */
        readonly auto_compact?: boolean;
        /** Compacts when so much of the limit is used, from 0 to 1. */
        readonly threshold?: number;
      };
    };
  };
  /** Write what waits, and the readable files of a session. */
  readonly closeSession: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** It is closed; the next use opens it again. */
      readonly closed: true;
    };
  };
  /** Remove a session with everything that it holds. */
  readonly deleteSession: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** Whether it is gone. */
      readonly deleted: boolean;
    };
  };
  /** How much a session holds, and in which state. */
  readonly getSessionStats: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** Whose it is. */
      readonly user_id?: string;
      /** When it was made, ISO 8601. */
      readonly created_at?: string;
      /** When the oldest of its memories is of, ISO 8601. */
      readonly first_memory_at?: string;
      /** How many memories there are. */
      readonly total_entries: number;
      /** Bytes of all files that count. */
      readonly total_size_bytes: number;
      /** Bytes of each of its files. */
      readonly size: { readonly [name: string]: unknown };
      /** How many bytes the session may have. */
      readonly limit_bytes: number;
      /** How many memories of each type there are, and the like. */
      readonly statistics: { readonly [name: string]: number };
      /** How many memories were deleted. */
      readonly deleted: number;
      /** Bytes of deleted memories that a compaction takes out of the log. */
      readonly deleted_bytes: number;
      /** How many memories, in whatever session, its memories have replaced. */
      readonly replaced: number;
      /** Lines that cannot be read, by what is wrong with them. */
      readonly corruption: { readonly [name: string]: number };
      /** Damaged lines that are kept aside, in `corrupt/`. */
      readonly quarantined: number;
      /** Lines without a checksum: a person wrote or edited them. */
      readonly unverified: number;
      /** Writes that are not acknowledged yet. */
      readonly pending_writes: number;
      /** The version of the record’s shape. */
      readonly schema_version: number;
      /** When the session was last compacted, ISO 8601. */
      readonly last_compaction?: string;
    };
  };
  /** The memories of a session as one text. */
  readonly exportSession: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** The format of the text: `json`, or `jsonl` with a memory a line. */
      readonly format?: "json" | "jsonl";
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** The format of the text: `json`, or `jsonl` with a memory a line. */
      readonly format: string;
      /** All memories of the session, in the format asked for. */
      readonly content: string;
    };
  };
  /** Take deleted memories out of the files, and faded ones when asked. A log with nothing to take out stays as it is. */
  readonly compactSession: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Only report what would happen. */
      readonly dry_run?: boolean;
      /** Also take out memories that have faded away, preferences and what others refer to excepted. */
      readonly drop_faded?: boolean;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** How many memories there were before. */
      readonly entries_before: number;
      /** How many memories there were afterwards. */
      readonly entries_after: number;
      /** Bytes of the files before. */
      readonly bytes_before: number;
      /** Bytes of the files afterwards. */
      readonly bytes_after: number;
      /** The memories that were taken out, each with its reason. */
      readonly dropped: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
      }>;
      /** Memories that lost their metadata. */
      readonly trimmed: ReadonlyArray<string>;
      /** Damaged lines that are kept aside, in `corrupt/`. */
      readonly quarantined: number;
      /** Damaged lines that went for good, because they could hold what was deleted. */
      readonly discarded: number;
      /** How long it took, in milliseconds. */
      readonly duration_ms: number;
    };
  };
  /** Check a whole session and rewrite its readable files. */
  readonly rebuildIndex: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** How many memories there are. */
      readonly entries: number;
      /** How many lines cannot be read. */
      readonly damaged_lines: number;
      /** How many lines have no checksum: a person wrote or edited them. */
      readonly unverified_lines: number;
    };
  };
  /** Which memories will fade, and when. */
  readonly previewFading: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** The relevance below which a memory counts as faded. */
      readonly threshold?: number;
      /** Only what fades in this time: `30 days`, `P7D`. */
      readonly within?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** How many at most. */
      readonly limit?: number;
      /** Also those that never fade, last. */
      readonly include_lasting?: boolean;
    };
    readonly output: {
      /** The memories, soonest first. */
      readonly memories: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: string;
        /** How important it is, from 0 to 1. */
        readonly importance: number;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** The same in a week, when it is left alone. */
        readonly relevance_next_week: number;
        /** When it falls below the threshold, ISO 8601; null: never. */
        readonly fades_at: string | null;
        /** How often it was given to a caller or stood in a prompt. */
        readonly uses: number;
      }>;
    };
  };
  /** Add a memory to a session. */
  readonly addMemory: {
    readonly input: {
      /** What it is; a finding when this is left out. */
      readonly type?: "conversation" | "decision" | "finding" | "preference";
      /** A text, or any JSON object; `text` in it is what people read. */
      readonly content: { readonly [name: string]: unknown } | string;
      /** Adding the same memory again is then a no-op. */
      readonly id?: string;
      /** ISO 8601. */
      readonly timestamp?: string;
      /** How important it is, from 0 to 1; 0.5 when left out. */
      readonly importance?: number;
      /** What it is about: up to 32 tags, with levels between dots. */
      readonly tags?: ReadonlyArray<string>;
      /** The ids of memories that it refers to. */
      readonly references?: ReadonlyArray<string>;
      /** Memories that are no longer recalled for it. */
      readonly replaces?: ReadonlyArray<string>;
      /** Where it comes from. */
      readonly provenance?: {
        /** Who wrote it. */
        readonly author?: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust?: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Names a session. */
      readonly session_id: string;
    };
  };
  /** Add many memories with one write: all of them, or none. */
  readonly addMemories: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** The memories to add. */
      readonly memories: ReadonlyArray<{
        /** What it is; a finding when this is left out. */
        readonly type?: "conversation" | "decision" | "finding" | "preference";
        /** A text, or any JSON object; `text` in it is what people read. */
        readonly content: { readonly [name: string]: unknown } | string;
        /** Adding the same memory again is then a no-op. */
        readonly id?: string;
        /** ISO 8601. */
        readonly timestamp?: string;
        /** How important it is, from 0 to 1; 0.5 when left out. */
        readonly importance?: number;
        /** What it is about: up to 32 tags, with levels between dots. */
        readonly tags?: ReadonlyArray<string>;
        /** The ids of memories that it refers to. */
        readonly references?: ReadonlyArray<string>;
        /** Memories that are no longer recalled for it. */
        readonly replaces?: ReadonlyArray<string>;
        /** Where it comes from. */
        readonly provenance?: {
          /** Who wrote it. */
          readonly author?: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust?: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
      }>;
    };
    readonly output: {
      /** The ids, in order. */
      readonly ids: ReadonlyArray<string>;
      /** Names a session. */
      readonly session_id: string;
    };
  };
  /** The memories of a session, page by page. */
  readonly listMemories: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Words, "phrases" and wild*cards; * alone lists the newest. */
      readonly text?: string;
      /** The kind: `conversation`, `decision`, `finding` or `preference`. */
      readonly type?: "conversation" | "decision" | "finding" | "preference";
      /** Only memories with this tag, or one below it. */
      readonly tag?: string;
      /** A range in words: last week, 24h, P7D. */
      readonly within?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Also give memories that others have replaced. */
      readonly include_replaced?: boolean;
      /** What comes first: the most relevant, the best match, the newest, or the most important. */
      readonly sort_by?: "relevance" | "match" | "time" | "importance";
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The memories, best or newest first. */
      readonly memories: ReadonlyArray<{
        /** The version of the record’s shape. */
        readonly schema_version: number;
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** Any JSON object; `text` in it is what people read. */
        readonly content: { readonly [name: string]: unknown };
        /** How important it is, from 0 to 1. */
        readonly importance: number;
        /** How much of it time had left when it was written. */
        readonly decay_factor: number;
        /** What it is about: up to 32 tags, with levels between dots. */
        readonly tags: ReadonlyArray<string>;
        /** The ids of memories that it refers to. */
        readonly references: ReadonlyArray<string>;
        /** Memories that are no longer recalled for it. */
        readonly replaces?: ReadonlyArray<string>;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** When it was last said again, ISO 8601; never when left out. */
        readonly confirmed_at?: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at?: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match?: number;
        /** Memories that say the same, for which this one stands. */
        readonly duplicates?: number;
        /** The parts of the relevance; with `explain`. */
        readonly explanation?: {
          /** How important the memory is. */
          readonly importance: number;
          /** How much of it time has left, from 0 to 1. */
          readonly decay: number;
          /** How lately it was written or used, from 1 to 1.5. */
          readonly recency: number;
          /** How good the match is beside the best one found, 0 to 1. */
          readonly match_quality: number;
          /** What the match is made of. */
          readonly match_parts?: { readonly [name: string]: unknown };
          /** Words of the text that the memory holds. */
          readonly matched_words?: ReadonlyArray<string>;
          /** Words that only the day of the memory holds. */
          readonly matched_by_date?: ReadonlyArray<string>;
          /** Words that no memory holds, with those they were taken for. */
          readonly taken_for?: { readonly [name: string]: ReadonlyArray<string> };
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
      /** With an embedder: whether the meaning of the text had a say. */
      readonly semantic?: {
        /** Whether what is near in meaning was found and weighed too. */
        readonly used: boolean;
        /** Why not: the embedder was too `late` or has `failed`; no memory has a vector yet (`pending`); the query asks for letters, or for no text (`words`). */
        readonly reason?: "late" | "failed" | "pending" | "words";
      };
    };
  };
  /** The memories that a query asks for, best first. */
  readonly queryMemories: {
    readonly input: {
      /** Words, "phrases" and wild*cards; * alone lists the newest. */
      readonly text?: string;
      /** Only memories of these kinds. */
      readonly types?: ReadonlyArray<"conversation" | "decision" | "finding" | "preference">;
      /** Only memories with these tags. */
      readonly tags?: {
        /** These tags, and those below them. */
        readonly include?: ReadonlyArray<string>;
        /** None of these tags. */
        readonly exclude?: ReadonlyArray<string>;
        /** Every tag has to be there, or one of them. */
        readonly mode?: "all" | "any";
        /** Only these tags themselves, not those below them. */
        readonly exact?: boolean;
      };
      /** Only what is dated from start to end, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601; a day without a time from its beginning. */
        readonly start?: string;
        /** Until then, ISO 8601; a day without a time to its end. */
        readonly end?: string;
      };
      /** A range in words: last week, 24h, P7D. */
      readonly within?: string;
      /** Only memories at least so important. */
      readonly min_importance?: number;
      /** Only what holds at least so much of the text, 0 to 1. */
      readonly min_match?: number;
      /** False lists memories that say the same separately. */
      readonly collapse?: boolean;
      /** Only what refers to these, or to what does. */
      readonly references?: ReadonlyArray<string>;
      /** How many references away; 1 when left out. */
      readonly max_depth?: number;
      /** What comes first: the most relevant, the best match, the newest, or the most important. */
      readonly sort_by?: "relevance" | "match" | "time" | "importance";
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
      /** Give the parts of each score. */
      readonly explain?: boolean;
      /** Answer from what was known then. */
      readonly as_of?: string;
      /** Also give memories that others have replaced. */
      readonly include_replaced?: boolean;
      /** The moment of asking, when it is not now. */
      readonly now?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Names a session. */
      readonly session_id: string;
      /** Where to look: this session, all of its user, or what its agents wrote. */
      readonly scope?: "session" | "user" | "agent";
    };
    readonly output: {
      /** The memories, best or newest first. */
      readonly memories: ReadonlyArray<{
        /** The version of the record’s shape. */
        readonly schema_version: number;
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** Any JSON object; `text` in it is what people read. */
        readonly content: { readonly [name: string]: unknown };
        /** How important it is, from 0 to 1. */
        readonly importance: number;
        /** How much of it time had left when it was written. */
        readonly decay_factor: number;
        /** What it is about: up to 32 tags, with levels between dots. */
        readonly tags: ReadonlyArray<string>;
        /** The ids of memories that it refers to. */
        readonly references: ReadonlyArray<string>;
        /** Memories that are no longer recalled for it. */
        readonly replaces?: ReadonlyArray<string>;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** When it was last said again, ISO 8601; never when left out. */
        readonly confirmed_at?: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at?: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match?: number;
        /** Memories that say the same, for which this one stands. */
        readonly duplicates?: number;
        /** The parts of the relevance; with `explain`. */
        readonly explanation?: {
          /** How important the memory is. */
          readonly importance: number;
          /** How much of it time has left, from 0 to 1. */
          readonly decay: number;
          /** How lately it was written or used, from 1 to 1.5. */
          readonly recency: number;
          /** How good the match is beside the best one found, 0 to 1. */
          readonly match_quality: number;
          /** What the match is made of. */
          readonly match_parts?: { readonly [name: string]: unknown };
          /** Words of the text that the memory holds. */
          readonly matched_words?: ReadonlyArray<string>;
          /** Words that only the day of the memory holds. */
          readonly matched_by_date?: ReadonlyArray<string>;
          /** Words that no memory holds, with those they were taken for. */
          readonly taken_for?: { readonly [name: string]: ReadonlyArray<string> };
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
      /** With an embedder: whether the meaning of the text had a say. */
      readonly semantic?: {
        /** Whether what is near in meaning was found and weighed too. */
        readonly used: boolean;
        /** Why not: the embedder was too `late` or has `failed`; no memory has a vector yet (`pending`); the query asks for letters, or for no text (`words`). */
        readonly reason?: "late" | "failed" | "pending" | "words";
      };
    };
  };
  /** Read one memory. */
  readonly getMemory: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Names a memory. */
      readonly memory_id: string;
    };
    readonly output: {
      /** The version of the record’s shape. */
      readonly schema_version: number;
      /** Names it. */
      readonly id: string;
      /** Names a session. */
      readonly session_id: string;
      /** When it was, ISO 8601. */
      readonly timestamp: string;
      /** The kind: `conversation`, `decision`, `finding` or `preference`. */
      readonly type: "conversation" | "decision" | "finding" | "preference";
      /** Any JSON object; `text` in it is what people read. */
      readonly content: { readonly [name: string]: unknown };
      /** How important it is, from 0 to 1. */
      readonly importance: number;
      /** How much of it time had left when it was written. */
      readonly decay_factor: number;
      /** What it is about: up to 32 tags, with levels between dots. */
      readonly tags: ReadonlyArray<string>;
      /** The ids of memories that it refers to. */
      readonly references: ReadonlyArray<string>;
      /** Memories that are no longer recalled for it. */
      readonly replaces?: ReadonlyArray<string>;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
      /** When it was last said again, ISO 8601; never when left out. */
      readonly confirmed_at?: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at?: string;
    };
  };
  /** The memories that are most like one, best first, without itself. */
  readonly similarMemories: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Names a memory. */
      readonly memory_id: string;
      /** Where to look: this session, all of its user, or what its agents wrote. */
      readonly scope?: "session" | "user" | "agent";
      /** The kind: `conversation`, `decision`, `finding` or `preference`. */
      readonly type?: "conversation" | "decision" | "finding" | "preference";
      /** Only memories with this tag, or one below it. */
      readonly tag?: string;
      /** A range in words: last week, 24h, P7D. */
      readonly within?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** How many at most. */
      readonly limit?: number;
      /** Give the parts of each score. */
      readonly explain?: boolean;
    };
    readonly output: {
      /** The memories, best or newest first. */
      readonly memories: ReadonlyArray<{
        /** The version of the record’s shape. */
        readonly schema_version: number;
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** Any JSON object; `text` in it is what people read. */
        readonly content: { readonly [name: string]: unknown };
        /** How important it is, from 0 to 1. */
        readonly importance: number;
        /** How much of it time had left when it was written. */
        readonly decay_factor: number;
        /** What it is about: up to 32 tags, with levels between dots. */
        readonly tags: ReadonlyArray<string>;
        /** The ids of memories that it refers to. */
        readonly references: ReadonlyArray<string>;
        /** Memories that are no longer recalled for it. */
        readonly replaces?: ReadonlyArray<string>;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** When it was last said again, ISO 8601; never when left out. */
        readonly confirmed_at?: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at?: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match?: number;
        /** Memories that say the same, for which this one stands. */
        readonly duplicates?: number;
        /** The parts of the relevance; with `explain`. */
        readonly explanation?: {
          /** How important the memory is. */
          readonly importance: number;
          /** How much of it time has left, from 0 to 1. */
          readonly decay: number;
          /** How lately it was written or used, from 1 to 1.5. */
          readonly recency: number;
          /** How good the match is beside the best one found, 0 to 1. */
          readonly match_quality: number;
          /** What the match is made of. */
          readonly match_parts?: { readonly [name: string]: unknown };
          /** Words of the text that the memory holds. */
          readonly matched_words?: ReadonlyArray<string>;
          /** Words that only the day of the memory holds. */
          readonly matched_by_date?: ReadonlyArray<string>;
          /** Words that no memory holds, with those they were taken for. */
          readonly taken_for?: { readonly [name: string]: ReadonlyArray<string> };
        };
      }>;
    };
  };
  /** Put a memory right: what is named changes, all else stays, its id included. */
  readonly updateMemory: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Names a memory. */
      readonly memory_id: string;
      /** A text, or any JSON object; `text` in it is what people read. */
      readonly content?: { readonly [name: string]: unknown } | string;
      /** The kind: `conversation`, `decision`, `finding` or `preference`. */
      readonly type?: "conversation" | "decision" | "finding" | "preference";
      /** ISO 8601. */
      readonly timestamp?: string;
      /** How important it is, from 0 to 1; 0.5 when left out. */
      readonly importance?: number;
      /** What it is about: up to 32 tags, with levels between dots. */
      readonly tags?: ReadonlyArray<string>;
      /** The ids of memories that it refers to. */
      readonly references?: ReadonlyArray<string>;
      /** Memories that are no longer recalled for it. */
      readonly replaces?: ReadonlyArray<string>;
    };
    readonly output: {
      /** The version of the record’s shape. */
      readonly schema_version: number;
      /** Names it. */
      readonly id: string;
      /** Names a session. */
      readonly session_id: string;
      /** When it was, ISO 8601. */
      readonly timestamp: string;
      /** The kind: `conversation`, `decision`, `finding` or `preference`. */
      readonly type: "conversation" | "decision" | "finding" | "preference";
      /** Any JSON object; `text` in it is what people read. */
      readonly content: { readonly [name: string]: unknown };
      /** How important it is, from 0 to 1. */
      readonly importance: number;
      /** How much of it time had left when it was written. */
      readonly decay_factor: number;
      /** What it is about: up to 32 tags, with levels between dots. */
      readonly tags: ReadonlyArray<string>;
      /** The ids of memories that it refers to. */
      readonly references: ReadonlyArray<string>;
      /** Memories that are no longer recalled for it. */
      readonly replaces?: ReadonlyArray<string>;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
      /** When it was last said again, ISO 8601; never when left out. */
      readonly confirmed_at?: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at?: string;
    };
  };
  /** Delete one memory. */
  readonly deleteMemory: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Names a memory. */
      readonly memory_id: string;
      /** Why; kept in the audit list. */
      readonly reason?: string;
      /** Only report what would happen. */
      readonly dry_run?: boolean;
    };
    readonly output: {
      /** How many. */
      readonly deleted: number;
    };
  };
  /** Delete what carries a tag, or one under it. */
  readonly deleteMemoriesByTopic: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** What carries this tag, or one below it. */
      readonly topic: string;
      /** Only the tag itself. */
      readonly exact?: boolean;
      /** Why; kept in the audit list. */
      readonly reason?: string;
      /** Only report what would happen. */
      readonly dry_run?: boolean;
    };
    readonly output: {
      /** How many. */
      readonly deleted: number;
    } | {
      /** How many would be deleted. */
      readonly would_delete: number;
      /** What would be deleted, newest first; at most a hundred of them. */
      readonly items: ReadonlyArray<{
        /** Names the memory. */
        readonly id: string;
        /** Its beginning. */
        readonly text: string;
      }>;
    };
  };
  /** Delete what is dated from start to end, both included. */
  readonly deleteMemoriesByTimeRange: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** From then on, ISO 8601; a day without a time from its beginning. */
      readonly start: string;
      /** Until then, ISO 8601; a day without a time to its end. */
      readonly end: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Why; kept in the audit list. */
      readonly reason?: string;
      /** Only report what would happen. */
      readonly dry_run?: boolean;
    };
    readonly output: {
      /** How many. */
      readonly deleted: number;
      /** The moments that are meant, both included. */
      readonly time_range: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
    } | {
      /** How many would be deleted. */
      readonly would_delete: number;
      /** What would be deleted, newest first; at most a hundred of them. */
      readonly items: ReadonlyArray<{
        /** Names the memory. */
        readonly id: string;
        /** Its beginning. */
        readonly text: string;
      }>;
      /** The moments that are meant, both included. */
      readonly time_range: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
    };
  };
  /** Keep a memory of the user, or confirm it when the user has it already. */
  readonly remember: {
    readonly input: {
      /** A type of memories, or a word of your own, such as `goal`: a finding of that kind. */
      readonly type?: string;
      /** A text, or any JSON object; `text` in it is what people read. */
      readonly content: { readonly [name: string]: unknown } | string;
      /** Adding the same memory again is then a no-op. */
      readonly id?: string;
      /** ISO 8601. */
      readonly timestamp?: string;
      /** How important it is, from 0 to 1; 0.5 when left out. */
      readonly importance?: number;
      /** What it is about: up to 32 tags, with levels between dots. */
      readonly tags?: ReadonlyArray<string>;
      /** The ids of memories that it refers to. */
      readonly references?: ReadonlyArray<string>;
      /** Memories that are no longer recalled for it. */
      readonly replaces?: ReadonlyArray<string>;
      /** Where it comes from. */
      readonly provenance?: {
        /** Who wrote it. */
        readonly author?: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust?: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
      /** The session to work in; the user’s session of the day when left out. */
      readonly session_id?: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Names a session. */
      readonly session_id: string;
      /** Whether the user had this memory already: it was confirmed, and nothing was added. */
      readonly confirmed: boolean;
      /** Close memories, closest first, which this one may replace. */
      readonly similar: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** The text. */
        readonly text: string;
      }>;
    };
  };
  /** The memories of the user that a text asks for, from all sessions, best first. */
  readonly recall: {
    readonly input: {
      /** Words, "phrases" and wild*cards; * alone lists the newest. */
      readonly text: string;
      /** Only memories of these kinds. */
      readonly types?: ReadonlyArray<"conversation" | "decision" | "finding" | "preference">;
      /** Only memories with these tags. */
      readonly tags?: {
        /** These tags, and those below them. */
        readonly include?: ReadonlyArray<string>;
        /** None of these tags. */
        readonly exclude?: ReadonlyArray<string>;
        /** Every tag has to be there, or one of them. */
        readonly mode?: "all" | "any";
        /** Only these tags themselves, not those below them. */
        readonly exact?: boolean;
      };
      /** Only what is dated from start to end, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601; a day without a time from its beginning. */
        readonly start?: string;
        /** Until then, ISO 8601; a day without a time to its end. */
        readonly end?: string;
      };
      /** A range in words: last week, 24h, P7D. */
      readonly within?: string;
      /** Only memories at least so important. */
      readonly min_importance?: number;
      /** Only what holds at least so much of the text, 0 to 1. */
      readonly min_match?: number;
      /** False lists memories that say the same separately. */
      readonly collapse?: boolean;
      /** Only what refers to these, or to what does. */
      readonly references?: ReadonlyArray<string>;
      /** How many references away; 1 when left out. */
      readonly max_depth?: number;
      /** What comes first: the most relevant, the best match, the newest, or the most important. */
      readonly sort_by?: "relevance" | "match" | "time" | "importance";
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
      /** Give the parts of each score. */
      readonly explain?: boolean;
      /** Answer from what was known then. */
      readonly as_of?: string;
      /** Also give memories that others have replaced. */
      readonly include_replaced?: boolean;
      /** The moment of asking, when it is not now. */
      readonly now?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
    };
    readonly output: {
      /** The memories, best or newest first. */
      readonly memories: ReadonlyArray<{
        /** The version of the record’s shape. */
        readonly schema_version: number;
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** Any JSON object; `text` in it is what people read. */
        readonly content: { readonly [name: string]: unknown };
        /** How important it is, from 0 to 1. */
        readonly importance: number;
        /** How much of it time had left when it was written. */
        readonly decay_factor: number;
        /** What it is about: up to 32 tags, with levels between dots. */
        readonly tags: ReadonlyArray<string>;
        /** The ids of memories that it refers to. */
        readonly references: ReadonlyArray<string>;
        /** Memories that are no longer recalled for it. */
        readonly replaces?: ReadonlyArray<string>;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** When it was last said again, ISO 8601; never when left out. */
        readonly confirmed_at?: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at?: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match?: number;
        /** Memories that say the same, for which this one stands. */
        readonly duplicates?: number;
        /** The parts of the relevance; with `explain`. */
        readonly explanation?: {
          /** How important the memory is. */
          readonly importance: number;
          /** How much of it time has left, from 0 to 1. */
          readonly decay: number;
          /** How lately it was written or used, from 1 to 1.5. */
          readonly recency: number;
          /** How good the match is beside the best one found, 0 to 1. */
          readonly match_quality: number;
          /** What the match is made of. */
          readonly match_parts?: { readonly [name: string]: unknown };
          /** Words of the text that the memory holds. */
          readonly matched_words?: ReadonlyArray<string>;
          /** Words that only the day of the memory holds. */
          readonly matched_by_date?: ReadonlyArray<string>;
          /** Words that no memory holds, with those they were taken for. */
          readonly taken_for?: { readonly [name: string]: ReadonlyArray<string> };
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
      /** With an embedder: whether the meaning of the text had a say. */
      readonly semantic?: {
        /** Whether what is near in meaning was found and weighed too. */
        readonly used: boolean;
        /** Why not: the embedder was too `late` or has `failed`; no memory has a vector yet (`pending`); the query asks for letters, or for no text (`words`). */
        readonly reason?: "late" | "failed" | "pending" | "words";
      };
    };
  };
  /** What a model should see this turn, in the user’s session of the day. */
  readonly contextOfUser: {
    readonly input: {
      /** The session to work in; the user’s session of the day when left out. */
      readonly session_id?: string;
      /** The name of an agent. */
      readonly agent_id?: string;
      /** The messages of this turn. */
      readonly messages: ReadonlyArray<{
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly role: "system" | "user" | "assistant" | "tool";
        /** The text. */
        readonly content: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
        /** The tools that are called. */
        readonly tool_calls?: ReadonlyArray<{
          /** Names the call. */
          readonly id: string;
          /** The name of the tool. */
          readonly name: string;
          /** What the tool was called with. */
          readonly arguments: { readonly [name: string]: unknown };
        }>;
        /** The call that this answers. */
        readonly tool_call_id?: string;
      } | {
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly sender: "user" | "ai";
        /** The text. */
        readonly text: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
      }>;
      /** Tokens for the prompt; those of the setting when left out. */
      readonly budget?: number;
      /** Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1. */
      readonly sections?: { readonly [name: string]: {
        /** What the section keeps of a full prompt, 0 to 1. */
        readonly floor?: number;
        /** The most that the section takes of a full prompt, 0 to 1. */
        readonly ceiling?: number;
      } };
      /** ISO 8601. */
      readonly now?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** The other agents of a group. */
      readonly participants?: ReadonlyArray<string>;
      /** What is offered with the prompt and paid from the budget: definitions, or their tokens. */
      readonly tools?: ReadonlyArray<{
        /** Its name. */
        readonly name: string;
        /** What it is, in a few words. */
        readonly description?: string;
        /** JSON Schema of its arguments. */
        readonly input_schema?: { readonly [name: string]: unknown };
      }> | number;
      /** The pictures with the newest message, oldest first, or their number. */
      readonly images?: ReadonlyArray<{
        /** What it shows, in a few words. */
        readonly description?: string;
        /** Of the detail that it is kept under. */
        readonly memory_key?: string;
      }> | number;
    };
    readonly output: {
      /** The messages for the model. */
      readonly messages: ReadonlyArray<{ readonly [name: string]: unknown }>;
      /** Every piece of the prompt with its source, its reason and its tokens, and what did not fit. */
      readonly manifest: { readonly [name: string]: unknown };
    };
  };
  /** Forget memories of the user everywhere, for good: by ids, a text, a topic or a time. */
  readonly forgetMemories: {
    readonly input: {
      /** These memories, messages and details. */
      readonly ids?: ReadonlyArray<string>;
      /** What carries this tag, or one below it. */
      readonly topic?: string;
      /** Whatever holds these whole words as they are, in upper or lower case: memories, messages, details, notes, journal and core. */
      readonly text?: string;
      /** Only what is dated from start to end, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601; a day without a time from its beginning. */
        readonly start: string;
        /** Until then, ISO 8601; a day without a time to its end. */
        readonly end: string;
      };
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Only report what would be forgotten, in numbers and in words. */
      readonly dry_run?: boolean;
    };
    readonly output: {
      /** Names the receipt; null when there was nothing to forget: then none is kept. */
      readonly receipt_id: string | null;
      /** When it was, ISO 8601. */
      readonly timestamp: string;
      /** Whether a user, a session or an agent was meant. */
      readonly scope: string;
      /** SHA-256 of the name of the user, session or agent. */
      readonly subject: string;
      /** By what it was selected. */
      readonly selection: string;
      /** SHA-256 of each id, or of the topic. */
      readonly selected: ReadonlyArray<string>;
      /** SHA-256 of what went along without being named. */
      readonly taken_along: ReadonlyArray<string>;
      /** The moments that are meant, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
      /** How much was forgotten. */
      readonly pieces: {
        /** How many sessions. */
        readonly sessions: number;
        /** How many memories. */
        readonly memories: number;
        /** How many messages. */
        readonly messages: number;
        /** How many details. */
        readonly details: number;
        /** How many documents of notes. */
        readonly notes: number;
        /** How many lines of notes. */
        readonly note_lines: number;
        /** How many agents. */
        readonly agents: number;
        /** How many lines cannot be read and go because they may hold what is meant, when there are any. */
        readonly damaged_lines?: number;
        /** How many sessions cannot be read, when there are any: what could not be read in them is not counted. */
        readonly unread_sessions?: number;
      };
      /** The ids that nothing was found of, when there are any. Only in the answer, never in the list of receipts. */
      readonly not_found?: ReadonlyArray<string>;
      /** Tables of a database whose files still hold deleted bytes, when there are any. Only in the answer. */
      readonly still_held?: ReadonlyArray<string>;
    } | {
      /** How many sessions. */
      readonly sessions: number;
      /** How many memories. */
      readonly memories: number;
      /** How many messages. */
      readonly messages: number;
      /** How many details. */
      readonly details: number;
      /** How many documents of notes. */
      readonly notes: number;
      /** How many lines of notes. */
      readonly note_lines: number;
      /** How many agents. */
      readonly agents: number;
      /** How many lines cannot be read and go because they may hold what is meant, when there are any. */
      readonly damaged_lines?: number;
      /** How many sessions cannot be read, when there are any: what could not be read in them is not counted. */
      readonly unread_sessions?: number;
      /** The moments that are meant, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
      /** What would go, in words; at most a hundred of them. */
      readonly items: ReadonlyArray<{
        /** What it is; `private`: of an agent’s journal or core; `notes`: a line of an agent’s notes. */
        readonly kind: "memory" | "message" | "detail" | "private" | "notes" | "session";
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Its beginning; of a detail its description. */
        readonly text: string;
        /** Why it goes. */
        readonly reason: string;
      }>;
      /** How many more there are than a hundred. */
      readonly items_left_out?: number;
    };
  };
  /** Search the memories and details of the user, in all sessions or in one. */
  readonly search: {
    readonly input: {
      /** Words, "phrases" and wild*cards; * alone lists the newest. */
      readonly text?: string;
      /** Only memories of these kinds. */
      readonly types?: ReadonlyArray<"conversation" | "decision" | "finding" | "preference">;
      /** Only memories with these tags. */
      readonly tags?: {
        /** These tags, and those below them. */
        readonly include?: ReadonlyArray<string>;
        /** None of these tags. */
        readonly exclude?: ReadonlyArray<string>;
        /** Every tag has to be there, or one of them. */
        readonly mode?: "all" | "any";
        /** Only these tags themselves, not those below them. */
        readonly exact?: boolean;
      };
      /** Only what is dated from start to end, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601; a day without a time from its beginning. */
        readonly start?: string;
        /** Until then, ISO 8601; a day without a time to its end. */
        readonly end?: string;
      };
      /** A range in words: last week, 24h, P7D. */
      readonly within?: string;
      /** Only memories at least so important. */
      readonly min_importance?: number;
      /** Only what holds at least so much of the text, 0 to 1. */
      readonly min_match?: number;
      /** False lists memories that say the same separately. */
      readonly collapse?: boolean;
      /** Only what refers to these, or to what does. */
      readonly references?: ReadonlyArray<string>;
      /** How many references away; 1 when left out. */
      readonly max_depth?: number;
      /** What comes first: the most relevant, the best match, the newest, or the most important. */
      readonly sort_by?: "relevance" | "match" | "time" | "importance";
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
      /** Give the parts of each score. */
      readonly explain?: boolean;
      /** Answer from what was known then. */
      readonly as_of?: string;
      /** Also give memories that others have replaced. */
      readonly include_replaced?: boolean;
      /** The moment of asking, when it is not now. */
      readonly now?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Names a session. */
      readonly session_id?: string;
      /** Also search details, when there is a text and nothing that only memories have is asked for. */
      readonly details?: boolean;
    };
    readonly output: {
      /** The memories, best or newest first. */
      readonly memories: ReadonlyArray<{
        /** The version of the record’s shape. */
        readonly schema_version: number;
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** Any JSON object; `text` in it is what people read. */
        readonly content: { readonly [name: string]: unknown };
        /** How important it is, from 0 to 1. */
        readonly importance: number;
        /** How much of it time had left when it was written. */
        readonly decay_factor: number;
        /** What it is about: up to 32 tags, with levels between dots. */
        readonly tags: ReadonlyArray<string>;
        /** The ids of memories that it refers to. */
        readonly references: ReadonlyArray<string>;
        /** Memories that are no longer recalled for it. */
        readonly replaces?: ReadonlyArray<string>;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** When it was last said again, ISO 8601; never when left out. */
        readonly confirmed_at?: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at?: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match?: number;
        /** Memories that say the same, for which this one stands. */
        readonly duplicates?: number;
        /** The parts of the relevance; with `explain`. */
        readonly explanation?: {
          /** How important the memory is. */
          readonly importance: number;
          /** How much of it time has left, from 0 to 1. */
          readonly decay: number;
          /** How lately it was written or used, from 1 to 1.5. */
          readonly recency: number;
          /** How good the match is beside the best one found, 0 to 1. */
          readonly match_quality: number;
          /** What the match is made of. */
          readonly match_parts?: { readonly [name: string]: unknown };
          /** Words of the text that the memory holds. */
          readonly matched_words?: ReadonlyArray<string>;
          /** Words that only the day of the memory holds. */
          readonly matched_by_date?: ReadonlyArray<string>;
          /** Words that no memory holds, with those they were taken for. */
          readonly taken_for?: { readonly [name: string]: ReadonlyArray<string> };
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
      /** With an embedder: whether the meaning of the text had a say. */
      readonly semantic?: {
        /** Whether what is near in meaning was found and weighed too. */
        readonly used: boolean;
        /** Why not: the embedder was too `late` or has `failed`; no memory has a vector yet (`pending`); the query asks for letters, or for no text (`words`). */
        readonly reason?: "late" | "failed" | "pending" | "words";
      };
      /** Large values, best or newest first. */
      readonly details?: ReadonlyArray<{
        /** Names a detail: what stands in its placeholder. */
        readonly memory_key: string;
        /** What it is about, in short. */
        readonly summary: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match: number;
        /** The first and the last line of the part that matches best. */
        readonly lines?: readonly [number, number];
        /** Names a session. */
        readonly session_id: string;
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
      }>;
      /** Of how many details only the beginning was searched; none when left out. */
      readonly partly_searched?: number;
    };
  };
  /** Where did we talk about …? The sessions of the user, best first. */
  readonly searchSessions: {
    readonly input: {
      /** What to look for, in words. */
      readonly text: string;
      /** How many at most. */
      readonly limit?: number;
      /** ISO 8601. */
      readonly now?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Also count memories that others have replaced. */
      readonly include_replaced?: boolean;
    };
    readonly output: {
      /** The sessions. */
      readonly sessions: ReadonlyArray<{
        /** Names a session. */
        readonly session_id: string;
        /** importance × decay × recency × match quality: the higher, the better. */
        readonly relevance: number;
      }>;
    };
  };
  /** One search over memories, details, journal, core, notes and transcripts of the user: what each layer has, with counts. */
  readonly searchLayers: {
    readonly input: {
      /** What to look for, in words. */
      readonly text: string;
      /** Only these; all when left out. */
      readonly layers?: ReadonlyArray<"memories" | "details" | "journal" | "core" | "notes" | "transcript">;
      /** How many hits of each layer. */
      readonly limit?: number;
    };
    readonly output: {
      /** Each layer that was searched. */
      readonly layers: ReadonlyArray<{
        /** The layer. */
        readonly layer: "memories" | "details" | "journal" | "core" | "notes" | "transcript";
        /** How many were found; 100 are counted, of each agent in its layers. */
        readonly found: number;
        /** False when there may be more. */
        readonly is_complete: boolean;
        /** Of how many details, or sessions with a transcript, not all was searched; none when left out. */
        readonly partly_searched?: number;
        /** The best, in the order of the layer’s own search. */
        readonly hits: ReadonlyArray<{
          /** Names the memory, detail or message; of notes, the header of the section. */
          readonly id: string;
          /** The beginning of its text; of a detail its description. */
          readonly text: string;
          /** How much of what was asked for it holds, 0 to 1. */
          readonly match: number;
          /** When it was, ISO 8601. */
          readonly timestamp?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Of a memory its type, of a message its role. */
          readonly type?: string;
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust?: "owner" | "agent" | "external" | "untrusted";
        }>;
      }>;
    };
  };
  /** Whether the memory is well: the store, its search index, what waits to be archived, sessions that cannot be read. Of the whole store for admins who speak for all, else of the own user. */
  readonly showHealth: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** What is meant: the whole store, or the caller’s user. */
      readonly scope: "store" | "user";
      /** Whether nothing below needs a person. */
      readonly is_well: boolean;
      /** The store. */
      readonly store: {
        /** Where the memory is kept. */
        readonly kind: "folder" | "postgres";
        /** Whether Redis answers, when one is set up. */
        readonly redis: "none" | "there" | "gone";
        /** How many memories there are; of the whole store alone. */
        readonly memories?: number;
        /** What everything takes; of the whole store alone. */
        readonly bytes?: number;
        /** Lines that this process could not read since it started; of the whole store alone. */
        readonly damaged_lines?: number;
      };
      /** Of how many users the index and the sessions were looked at. */
      readonly users_checked: number;
      /** False when there are more than 200 users: the others were not. */
      readonly is_complete: boolean;
      /** The stored search indexes. */
      readonly search_index: {
        /** The worst of them. `none`: nothing stored yet. `sealed`: all is in it. `behind`: searches read the rest from the logs. `outdated`, `damaged`: the next search builds it again. */
        readonly state: "none" | "sealed" | "behind" | "outdated" | "damaged";
        /** Sessions of which it lacks something. */
        readonly sessions_behind: number;
      };
      /** What was said and is not in the transcript yet. */
      readonly spool: {
        /** Messages of conversations that wait to be archived, of this server. */
        readonly messages: number;
        /** When the oldest of them was said, ISO 8601; null: none waits. */
        readonly oldest: string | null;
        /** Sessions whose messages could not be archived. They are kept, and tried again. */
        readonly failed: ReadonlyArray<{
          /** Names a session. */
          readonly session_id: string;
          /** The code of the error. */
          readonly code: string;
          /** When it was last tried, ISO 8601. */
          readonly failed_at: string;
        }>;
      };
      /** Sessions that are in no list and search, because they cannot be read. */
      readonly unreadable_sessions: ReadonlyArray<{
        /** Whose it is. */
        readonly user_id: string;
        /** Names a session. */
        readonly session_id: string;
        /** The code of the error. */
        readonly code: string;
        /** A sentence for people. */
        readonly reason: string;
      }>;
      /** The last `longhand verify` with this configuration; null: none, or not for this caller. */
      readonly verification: {
        /** When it was, ISO 8601. */
        readonly verified_at: string;
        /** Whether nothing was damaged. */
        readonly is_sound: boolean;
        /** How many places were damaged. */
        readonly damage: number;
      } | null;
    };
  };
  /** What an agent can be given: models by provider, tools, colours, icons. */
  readonly agentOptions: {
    readonly input: {
      /** Whose MCP tools; those of `default` when left out. */
      readonly agent_id?: string;
    };
    readonly output: {
      /** The models of the settings, by their provider; the first is used when none is chosen. */
      readonly grouped_models: { readonly [name: string]: ReadonlyArray<{
        /** What to give an agent as its model_id. */
        readonly model_id: string;
        /** How the model is called for people. */
        readonly label: string;
      }> };
      /** The tools, in the order in which a model sees them. */
      readonly available_tools: ReadonlyArray<{
        /** What to put into enabled_tools. */
        readonly name: string;
        /** How the tool is called for people. */
        readonly title: string;
        /** The description that the model reads. */
        readonly description: string;
        /** Whether it works on the memory, or belongs to an MCP server. */
        readonly source: "memory" | "mcp";
        /** Whether an agent has it without being told so. */
        readonly is_default: boolean;
      }>;
      /** Colours to show an agent in. */
      readonly colour_options: ReadonlyArray<string>;
      /** Signs to show an agent with. */
      readonly icon_options: ReadonlyArray<string>;
    };
  };
  /** The agents of the account, by name. */
  readonly listAgents: {
    readonly input: {
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The agents, by name. */
      readonly agents: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Its name. */
        readonly name: string;
        /** What the agent is told first; null: only its name. */
        readonly system_prompt: string | null;
        /** The model that the agent uses; null: that of the configuration. */
        readonly model_id: string | null;
        /** How the model is called for people. */
        readonly model_label: string | null;
        /** The tools that the agent may use; `*`: all of MCP servers. */
        readonly enabled_tools: ReadonlyArray<string>;
        /** Whether the agent takes part in conversations. */
        readonly active: boolean;
        /** Whether every user is shown what the agent saves, or this memory of it. */
        readonly share_memory: boolean;
        /** A colour to show the agent in. */
        readonly colour: string | null;
        /** A sign to show the agent with. */
        readonly icon: string | null;
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at: string;
        /** How many memories the agent has of its own. */
        readonly memories_count: {
          /** How many in the core. */
          readonly core: number;
          /** How many in the journal. */
          readonly journal: number;
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** Make an agent. Its name is its id. */
  readonly createAgent: {
    readonly input: {
      /** What the agent is told first; null: only its name. */
      readonly system_prompt?: string | null;
      /** The model that the agent uses; null: that of the configuration. */
      readonly model_id?: string | null;
      /** How the model is called for people. */
      readonly model_label?: string | null;
      /** Exactly the tools that the agent may use, those of MCP servers too; `*` stands for all tools of MCP servers. When left out of a new agent: those of the memory, and `*`. */
      readonly enabled_tools?: ReadonlyArray<string>;
      /** Whether the agent takes part in conversations. */
      readonly active?: boolean;
      /** Whether what it saves from now on, in whatever conversation, is shown to every user. */
      readonly share_memory?: boolean;
      /** A colour to show the agent in. */
      readonly colour?: string | null;
      /** A sign to show the agent with. */
      readonly icon?: string | null;
      /** The name of an agent. */
      readonly name: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Its name. */
      readonly name: string;
      /** What the agent is told first; null: only its name. */
      readonly system_prompt: string | null;
      /** The model that the agent uses; null: that of the configuration. */
      readonly model_id: string | null;
      /** How the model is called for people. */
      readonly model_label: string | null;
      /** The tools that the agent may use; `*`: all of MCP servers. */
      readonly enabled_tools: ReadonlyArray<string>;
      /** Whether the agent takes part in conversations. */
      readonly active: boolean;
      /** Whether every user is shown what the agent saves, or this memory of it. */
      readonly share_memory: boolean;
      /** A colour to show the agent in. */
      readonly colour: string | null;
      /** A sign to show the agent with. */
      readonly icon: string | null;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** How many memories the agent has of its own. */
      readonly memories_count: {
        /** How many in the core. */
        readonly core: number;
        /** How many in the journal. */
        readonly journal: number;
      };
    };
  };
  /** One agent, with its settings. */
  readonly getAgent: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Its name. */
      readonly name: string;
      /** What the agent is told first; null: only its name. */
      readonly system_prompt: string | null;
      /** The model that the agent uses; null: that of the configuration. */
      readonly model_id: string | null;
      /** How the model is called for people. */
      readonly model_label: string | null;
      /** The tools that the agent may use; `*`: all of MCP servers. */
      readonly enabled_tools: ReadonlyArray<string>;
      /** Whether the agent takes part in conversations. */
      readonly active: boolean;
      /** Whether every user is shown what the agent saves, or this memory of it. */
      readonly share_memory: boolean;
      /** A colour to show the agent in. */
      readonly colour: string | null;
      /** A sign to show the agent with. */
      readonly icon: string | null;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** How many memories the agent has of its own. */
      readonly memories_count: {
        /** How many in the core. */
        readonly core: number;
        /** How many in the journal. */
        readonly journal: number;
      };
    };
  };
  /** Change what is named of an agent, and leave the rest. */
  readonly updateAgent: {
    readonly input: {
      /** What the agent is told first; null: only its name. */
      readonly system_prompt?: string | null;
      /** The model that the agent uses; null: that of the configuration. */
      readonly model_id?: string | null;
      /** How the model is called for people. */
      readonly model_label?: string | null;
      /** Exactly the tools that the agent may use, those of MCP servers too; `*` stands for all tools of MCP servers. When left out of a new agent: those of the memory, and `*`. */
      readonly enabled_tools?: ReadonlyArray<string>;
      /** Whether the agent takes part in conversations. */
      readonly active?: boolean;
      /** Whether what it saves from now on, in whatever conversation, is shown to every user. */
      readonly share_memory?: boolean;
      /** A colour to show the agent in. */
      readonly colour?: string | null;
      /** A sign to show the agent with. */
      readonly icon?: string | null;
      /** The name of an agent. */
      readonly agent_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Its name. */
      readonly name: string;
      /** What the agent is told first; null: only its name. */
      readonly system_prompt: string | null;
      /** The model that the agent uses; null: that of the configuration. */
      readonly model_id: string | null;
      /** How the model is called for people. */
      readonly model_label: string | null;
      /** The tools that the agent may use; `*`: all of MCP servers. */
      readonly enabled_tools: ReadonlyArray<string>;
      /** Whether the agent takes part in conversations. */
      readonly active: boolean;
      /** Whether every user is shown what the agent saves, or this memory of it. */
      readonly share_memory: boolean;
      /** A colour to show the agent in. */
      readonly colour: string | null;
      /** A sign to show the agent with. */
      readonly icon: string | null;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** How many memories the agent has of its own. */
      readonly memories_count: {
        /** How many in the core. */
        readonly core: number;
        /** How many in the journal. */
        readonly journal: number;
      };
    };
  };
  /** Remove an agent with its journal, core and notes on all users. For keys that speak for all. */
  readonly deleteAgent: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
    };
    readonly output: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Whether it is gone. */
      readonly deleted: true;
    };
  };
  /** The journal and core of an agent that the caller may see, newest first; those that a text asks for, best first. */
  readonly listAgentMemories: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** What to search for. */
      readonly text?: string;
      /** Only the journal, or only the core. */
      readonly type?: "journal" | "core";
      /** Also what has faded from the prompt. */
      readonly include_expired?: boolean;
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The memories, best or newest first. */
      readonly memories: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** The name of an agent. */
        readonly agent_id: string;
        /** The kind of the memory. */
        readonly memory_type: "journal" | "core";
        /** The text. */
        readonly content: string;
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at: string;
        /** Whether it stays in the prompt for good. */
        readonly pinned: boolean;
        /** Whether it has faded from the prompt. */
        readonly expired: boolean;
        /** Whether it is agent-wide: shown to every user. */
        readonly share_memory: boolean;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match?: number;
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** Save to the journal or the core of an agent: for every user as an admin, else for the own user. */
  readonly addAgentMemory: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** The kind of the memory. */
      readonly memory_type: "journal" | "core";
      /** The text. */
      readonly content: string;
      /** ISO 8601. */
      readonly timestamp?: string;
      /** Made when left out. Saving under it again changes nothing. */
      readonly id?: string;
      /** Agent-wide, or not: for admins to say. */
      readonly share_memory?: boolean;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** The name of an agent. */
      readonly agent_id: string;
      /** The kind of the memory. */
      readonly memory_type: "journal" | "core";
      /** The text. */
      readonly content: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** Whether it stays in the prompt for good. */
      readonly pinned: boolean;
      /** Whether it has faded from the prompt. */
      readonly expired: boolean;
      /** Whether it is agent-wide: shown to every user. */
      readonly share_memory: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
  };
  /** One memory of an agent, with its earlier texts. */
  readonly getAgentMemory: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a memory. */
      readonly memory_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** The name of an agent. */
      readonly agent_id: string;
      /** The kind of the memory. */
      readonly memory_type: "journal" | "core";
      /** The text. */
      readonly content: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** Whether it stays in the prompt for good. */
      readonly pinned: boolean;
      /** Whether it has faded from the prompt. */
      readonly expired: boolean;
      /** Whether it is agent-wide: shown to every user. */
      readonly share_memory: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
      /** Earlier texts, oldest first. */
      readonly history: ReadonlyArray<{
        /** The text. */
        readonly content: string;
        /** Until when it was the text, ISO 8601. */
        readonly replaced_at: string;
      }>;
    };
  };
  /** Edit, pin or unpin a memory of an agent, or move it to the core. */
  readonly updateAgentMemory: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a memory. */
      readonly memory_id: string;
      /** The text. */
      readonly content?: string;
      /** Whether it stays in the prompt for good. */
      readonly pinned?: boolean;
      /** The kind of the memory. */
      readonly memory_type?: "core";
      /** Agent-wide, or not: for admins to say. */
      readonly share_memory?: boolean;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** The name of an agent. */
      readonly agent_id: string;
      /** The kind of the memory. */
      readonly memory_type: "journal" | "core";
      /** The text. */
      readonly content: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** Whether it stays in the prompt for good. */
      readonly pinned: boolean;
      /** Whether it has faded from the prompt. */
      readonly expired: boolean;
      /** Whether it is agent-wide: shown to every user. */
      readonly share_memory: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
  };
  /** Take a memory of an agent out of every file. */
  readonly deleteAgentMemory: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a memory. */
      readonly memory_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Whether it is gone. */
      readonly deleted: true;
    };
  };
  /** The notes of an agent on the user. */
  readonly readNotes: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
    };
    readonly output: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** The text. */
      readonly text: string;
      /** Counts the changes. */
      readonly version: number;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string | null;
      /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
      readonly trust: string;
    };
  };
  /** The sections of the notes that a text asks for, best first. */
  readonly searchNotes: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** What to search for. */
      readonly text: string;
      /** How many at most. */
      readonly limit?: number;
    };
    readonly output: {
      /** The sections of the notes that were found, each up to the next header. */
      readonly sections: ReadonlyArray<{
        /** Its header; empty for what stands before the first one. */
        readonly title: string;
        /** Its text, with the header. */
        readonly text: string;
        /** How much of what was asked for it holds, 0 to 1. */
        readonly match: number;
      }>;
    };
  };
  /** Replace the notes. */
  readonly writeNotes: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** The text. */
      readonly text: string;
      /** Refuse the change when the notes are at another version: what was not read stays. */
      readonly expected_version?: number;
    };
    readonly output: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** The text. */
      readonly text: string;
      /** Counts the changes. */
      readonly version: number;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string | null;
      /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
      readonly trust: string;
    };
  };
  /** Change a part of the notes, as manage_long_term_memory does. */
  readonly changeNotes: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** What to do with the notes. */
      readonly operation: "overwrite" | "append" | "prepend" | "delete_section_by_header" | "replace_section_by_header" | "delete_all_notes";
      /** The text to put in, for changes that put something in. */
      readonly content?: string;
      /** The header of the section, for changes of one section. */
      readonly section_header?: string;
      /** Refuse the change when the notes are at another version: what was not read stays. */
      readonly expected_version?: number;
    };
    readonly output: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** The text. */
      readonly text: string;
      /** Counts the changes. */
      readonly version: number;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string | null;
      /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
      readonly trust: string;
    };
  };
  /** The versions of the notes, newest first. */
  readonly listNotesVersions: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The versions, newest first. */
      readonly versions: ReadonlyArray<{
        /** Counts the changes. */
        readonly version: number;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** Who wrote this version. */
        readonly author: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: string;
        /** Bytes of the text. */
        readonly bytes: number;
        /** Lines that the version before it had not. */
        readonly lines_added: number;
        /** Lines of the version before it that it has not. */
        readonly lines_removed: number;
        /** How this version was made. */
        readonly operation: string;
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** The text of an earlier version, and how it differs from another. */
  readonly readNotesVersion: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Counts the changes. */
      readonly version: number;
      /** Also give how it differs from this version. */
      readonly compare_with?: number;
    };
    readonly output: {
      /** Counts the changes. */
      readonly version: number;
      /** The text. */
      readonly text: string;
      /** How the text differs from that of the version compared with, line by line. */
      readonly diff?: string;
    };
  };
  /** Make a new version with the text of an old one. */
  readonly restoreNotes: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Counts the changes. */
      readonly version: number;
      /** Refuse the change when the notes are at another version: what was not read stays. */
      readonly expected_version?: number;
    };
    readonly output: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** The text. */
      readonly text: string;
      /** Counts the changes. */
      readonly version: number;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string | null;
      /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
      readonly trust: string;
    };
  };
  /** The details of the user, newest first. */
  readonly listDetails: {
    readonly input: {
      /** Names a session. */
      readonly session_id?: string;
      /** Only details of this kind. */
      readonly type?: string;
      /** Inactive ones are not searched and not recalled, and can still be retrieved. */
      readonly is_active?: boolean;
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** Large values, best or newest first. */
      readonly details: ReadonlyArray<{
        /** Names a detail: what stands in its placeholder. */
        readonly memory_key: string;
        /** Names a session. */
        readonly session_id: string;
        /** The name of an agent. */
        readonly agent_id: string | null;
        /** Whose it is. */
        readonly user_id: string;
        /** The kind of the memory. */
        readonly memory_type: string;
        /** What it is about, in short. */
        readonly summary: string;
        /** Who wrote the summary: `extractive`, `caller`, or a model. */
        readonly summary_method: string;
        /** Anything that is known of it: the command, its status. */
        readonly content_metadata: { readonly [name: string]: unknown };
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it ends, ISO 8601; null: never. */
        readonly expires_at: string | null;
        /** Inactive ones are not searched and not recalled, and can still be retrieved. */
        readonly is_active: boolean;
        /** How many bytes it has. */
        readonly size_bytes: number;
        /** How many lines it has. */
        readonly lines: number;
        /** Whether it is text. */
        readonly is_utf8: boolean;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** Keep a large text as a detail, behind a placeholder. */
  readonly storeDetail: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** The text. */
      readonly content: string;
      /** What it is, in a few words. */
      readonly description?: string;
      /** The kind of the value: `command_output`, `file_content`, or one of your own. */
      readonly type?: string;
      /** Anything that is known of it. */
      readonly metadata?: { readonly [name: string]: unknown };
      /** The name of an agent. */
      readonly agent_id?: string;
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key?: string;
      /** Where it comes from. */
      readonly provenance?: {
        /** Who wrote it. */
        readonly author?: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust?: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
    readonly output: {
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
      /** Names a session. */
      readonly session_id: string;
      /** The name of an agent. */
      readonly agent_id: string | null;
      /** Whose it is. */
      readonly user_id: string;
      /** The kind of the memory. */
      readonly memory_type: string;
      /** What it is about, in short. */
      readonly summary: string;
      /** Who wrote the summary: `extractive`, `caller`, or a model. */
      readonly summary_method: string;
      /** Anything that is known of it: the command, its status. */
      readonly content_metadata: { readonly [name: string]: unknown };
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it ends, ISO 8601; null: never. */
      readonly expires_at: string | null;
      /** Inactive ones are not searched and not recalled, and can still be retrieved. */
      readonly is_active: boolean;
      /** How many bytes it has. */
      readonly size_bytes: number;
      /** How many lines it has. */
      readonly lines: number;
      /** Whether it is text. */
      readonly is_utf8: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
  };
  /** Keep the output of a command or tool when it is long, and get the line with the placeholder that stands for it. */
  readonly captureOutput: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** What the command or tool gave. */
      readonly output: string;
      /** The command that was run, when it was one. */
      readonly command?: string;
      /** The tool that was called. */
      readonly tool_name?: string;
      /** How it ended: `success`, `error`, `exit code 2`. */
      readonly status?: string;
      /** The name of an agent. */
      readonly agent_id?: string;
      /** The message of the user that it was called for: the output goes when that is forgotten. */
      readonly message_id?: string;
      /** The call that it answers: sent again, the same output is kept once. */
      readonly call_id?: string;
      /** Keep a short one too. */
      readonly always?: boolean;
    };
    readonly output: {
      /** For the model: the output itself, or the line that stands for it. */
      readonly text: string;
      /** Whether it was kept as a detail. */
      readonly is_captured: boolean;
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key?: string;
      /** What the value is. */
      readonly detail?: {
        /** Names a detail: what stands in its placeholder. */
        readonly memory_key: string;
        /** Names a session. */
        readonly session_id: string;
        /** The name of an agent. */
        readonly agent_id: string | null;
        /** Whose it is. */
        readonly user_id: string;
        /** The kind of the memory. */
        readonly memory_type: string;
        /** What it is about, in short. */
        readonly summary: string;
        /** Who wrote the summary: `extractive`, `caller`, or a model. */
        readonly summary_method: string;
        /** Anything that is known of it: the command, its status. */
        readonly content_metadata: { readonly [name: string]: unknown };
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it ends, ISO 8601; null: never. */
        readonly expires_at: string | null;
        /** Inactive ones are not searched and not recalled, and can still be retrieved. */
        readonly is_active: boolean;
        /** How many bytes it has. */
        readonly size_bytes: number;
        /** How many lines it has. */
        readonly lines: number;
        /** Whether it is text. */
        readonly is_utf8: boolean;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
      };
    };
  };
  /** A detail, or a part of it: a page, lines, the lines with a word, a place in JSON. */
  readonly retrieveDetail: {
    readonly input: {
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
      /** Which page, counted from 1. */
      readonly page?: number;
      /** Bytes of a page, about; 16,384 when left out. */
      readonly page_size?: number;
      /** From this line on, counted from 1. */
      readonly first_line?: number;
      /** Up to this line, counted from 1. */
      readonly last_line?: number;
      /** Only the lines that hold this, whatever the case. */
      readonly search?: string;
      /** Lines to show before and after each line found; 2 when left out. */
      readonly context?: number;
      /** How many at most. */
      readonly limit?: number;
      /** A JSON pointer (RFC 6901) into a JSON value. */
      readonly pointer?: string;
    };
    readonly output: {
      /** What the value is. */
      readonly detail: {
        /** Names a detail: what stands in its placeholder. */
        readonly memory_key: string;
        /** Names a session. */
        readonly session_id: string;
        /** The name of an agent. */
        readonly agent_id: string | null;
        /** Whose it is. */
        readonly user_id: string;
        /** The kind of the memory. */
        readonly memory_type: string;
        /** What it is about, in short. */
        readonly summary: string;
        /** Who wrote the summary: `extractive`, `caller`, or a model. */
        readonly summary_method: string;
        /** Anything that is known of it: the command, its status. */
        readonly content_metadata: { readonly [name: string]: unknown };
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it ends, ISO 8601; null: never. */
        readonly expires_at: string | null;
        /** Inactive ones are not searched and not recalled, and can still be retrieved. */
        readonly is_active: boolean;
        /** How many bytes it has. */
        readonly size_bytes: number;
        /** How many lines it has. */
        readonly lines: number;
        /** Whether it is text. */
        readonly is_utf8: boolean;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
      };
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
      /** The text. */
      readonly content: string;
      /** What the content is: `whole`, `page`, `lines`, `search` or `pointer`. */
      readonly part: string;
      /** Whether there is more of what was asked for than an answer holds. */
      readonly is_truncated: boolean;
      /** How many bytes it has. */
      readonly size_bytes: number;
      /** How many lines the value has. */
      readonly total_lines: number;
      /** Whether it is text. */
      readonly is_utf8: boolean;
      /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
      readonly trust?: "owner" | "agent" | "external" | "untrusted";
      /** Which page, counted from 1. */
      readonly page?: number;
      /** How many pages there are. */
      readonly total_pages?: number;
      /** The first and the last line of the content. */
      readonly lines?: readonly [number, number];
      /** The lines found, with those around them. */
      readonly matches?: ReadonlyArray<{
        /** Its number in the value, from 1. */
        readonly line: number;
        /** The text. */
        readonly text: string;
      }>;
      /** How many lines hold what was searched for, shown or not. */
      readonly total_matches?: number;
    };
  };
  /** Switch a detail on or off for searches. */
  readonly updateDetail: {
    readonly input: {
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
      /** Inactive ones are not searched and not recalled, and can still be retrieved. */
      readonly is_active: boolean;
    };
    readonly output: {
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
      /** Names a session. */
      readonly session_id: string;
      /** The name of an agent. */
      readonly agent_id: string | null;
      /** Whose it is. */
      readonly user_id: string;
      /** The kind of the memory. */
      readonly memory_type: string;
      /** What it is about, in short. */
      readonly summary: string;
      /** Who wrote the summary: `extractive`, `caller`, or a model. */
      readonly summary_method: string;
      /** Anything that is known of it: the command, its status. */
      readonly content_metadata: { readonly [name: string]: unknown };
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it ends, ISO 8601; null: never. */
      readonly expires_at: string | null;
      /** Inactive ones are not searched and not recalled, and can still be retrieved. */
      readonly is_active: boolean;
      /** How many bytes it has. */
      readonly size_bytes: number;
      /** How many lines it has. */
      readonly lines: number;
      /** Whether it is text. */
      readonly is_utf8: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
  };
  /** Take a detail out of every file. */
  readonly deleteDetail: {
    readonly input: {
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
    };
    readonly output: {
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key: string;
      /** Whether it is gone. */
      readonly deleted: true;
    };
  };
  /** What a model should see this turn, under a hard budget, with the reason for every piece. */
  readonly assembleContext: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** The name of an agent. */
      readonly agent_id?: string;
      /** The messages of this turn. */
      readonly messages: ReadonlyArray<{
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly role: "system" | "user" | "assistant" | "tool";
        /** The text. */
        readonly content: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
        /** The tools that are called. */
        readonly tool_calls?: ReadonlyArray<{
          /** Names the call. */
          readonly id: string;
          /** The name of the tool. */
          readonly name: string;
          /** What the tool was called with. */
          readonly arguments: { readonly [name: string]: unknown };
        }>;
        /** The call that this answers. */
        readonly tool_call_id?: string;
      } | {
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly sender: "user" | "ai";
        /** The text. */
        readonly text: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
      }>;
      /** Tokens for the prompt; those of the setting when left out. */
      readonly budget?: number;
      /** Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1. */
      readonly sections?: { readonly [name: string]: {
        /** What the section keeps of a full prompt, 0 to 1. */
        readonly floor?: number;
        /** The most that the section takes of a full prompt, 0 to 1. */
        readonly ceiling?: number;
      } };
      /** ISO 8601. */
      readonly now?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** The other agents of a group. */
      readonly participants?: ReadonlyArray<string>;
      /** What is offered with the prompt and paid from the budget: definitions, or their tokens. */
      readonly tools?: ReadonlyArray<{
        /** Its name. */
        readonly name: string;
        /** What it is, in a few words. */
        readonly description?: string;
        /** JSON Schema of its arguments. */
        readonly input_schema?: { readonly [name: string]: unknown };
      }> | number;
      /** The pictures with the newest message, oldest first, or their number. */
      readonly images?: ReadonlyArray<{
        /** What it shows, in a few words. */
        readonly description?: string;
        /** Of the detail that it is kept under. */
        readonly memory_key?: string;
      }> | number;
    };
    readonly output: {
      /** The messages for the model. */
      readonly messages: ReadonlyArray<{ readonly [name: string]: unknown }>;
      /** Every piece of the prompt with its source, its reason and its tokens, and what did not fit. */
      readonly manifest: { readonly [name: string]: unknown };
    };
  };
  /** Say something to an agent, and get its answer: whole, or as it comes. */
  readonly chat: {
    readonly input: {
      /** What is new since the last answer; the last one is the user’s. */
      readonly new_messages: ReadonlyArray<{
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly role: "system" | "user" | "assistant" | "tool";
        /** The text. */
        readonly content: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
        /** The tools that are called. */
        readonly tool_calls?: ReadonlyArray<{
          /** Names the call. */
          readonly id: string;
          /** The name of the tool. */
          readonly name: string;
          /** What the tool was called with. */
          readonly arguments: { readonly [name: string]: unknown };
        }>;
        /** The call that this answers. */
        readonly tool_call_id?: string;
      } | {
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly sender: "user" | "ai";
        /** The text. */
        readonly text: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
      }>;
      /** A new session when left out. */
      readonly session_id?: string;
      /** Who is to answer; when left out, all agents of the session, and `default` where it has none. */
      readonly agent_id?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Tokens for the prompt; those of the setting when left out. */
      readonly budget?: number;
      /** Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1. */
      readonly sections?: { readonly [name: string]: {
        /** What the section keeps of a full prompt, 0 to 1. */
        readonly floor?: number;
        /** The most that the section takes of a full prompt, 0 to 1. */
        readonly ceiling?: number;
      } };
      /** Answer as server-sent events. */
      readonly stream?: boolean;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a message. */
      readonly message_id: string;
      /** The ids of the messages that were sent, made where they had none. */
      readonly new_message_ids: ReadonlyArray<string>;
      /** What the agent says. */
      readonly answer: string;
      /** The model that answered; `demo` for the built-in one. */
      readonly model: string;
      /** `stop`, or why the answer is not whole: `length`, `content-filter`, … */
      readonly finish_reason: string;
      /** The answer was given before, to the same message. */
      readonly is_repeated?: true;
      /** The tools that were used, in order. */
      readonly tools: ReadonlyArray<{
        /** Its name. */
        readonly name: string;
      }>;
      /** Every piece of the prompt with its source, its reason and its tokens, and what did not fit. */
      readonly manifest?: { readonly [name: string]: unknown };
      /** What the model counted. */
      readonly usage: {
        /** Tokens of the prompts; null when the provider does not tell. */
        readonly input_tokens: number | null;
        /** Tokens of the answers; null when the provider does not tell. */
        readonly output_tokens: number | null;
      };
      /** The answers of all agents, in order. The last one is that above, and leaves its manifest there. */
      readonly answers: ReadonlyArray<{
        /** The name of an agent. */
        readonly agent_id: string;
        /** Names a message. */
        readonly message_id: string;
        /** What the agent says. */
        readonly answer: string;
      }>;
    };
  };
  /** Let an agent answer one prompt. */
  readonly runAgent: {
    readonly input: {
      /** What to answer. */
      readonly prompt: string;
      /** Names the prompt. The same one again gets the answer that it got. */
      readonly message_id?: string;
      /** A new session when left out. */
      readonly session_id?: string;
      /** Who is to answer; when left out, all agents of the session, and `default` where it has none. */
      readonly agent_id?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Tokens for the prompt; those of the setting when left out. */
      readonly budget?: number;
      /** Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1. */
      readonly sections?: { readonly [name: string]: {
        /** What the section keeps of a full prompt, 0 to 1. */
        readonly floor?: number;
        /** The most that the section takes of a full prompt, 0 to 1. */
        readonly ceiling?: number;
      } };
      /** Answer as server-sent events. */
      readonly stream?: boolean;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a message. */
      readonly message_id: string;
      /** The ids of the messages that were sent, made where they had none. */
      readonly new_message_ids: ReadonlyArray<string>;
      /** What the agent says. */
      readonly answer: string;
      /** The model that answered; `demo` for the built-in one. */
      readonly model: string;
      /** `stop`, or why the answer is not whole: `length`, `content-filter`, … */
      readonly finish_reason: string;
      /** The answer was given before, to the same message. */
      readonly is_repeated?: true;
      /** The tools that were used, in order. */
      readonly tools: ReadonlyArray<{
        /** Its name. */
        readonly name: string;
      }>;
      /** Every piece of the prompt with its source, its reason and its tokens, and what did not fit. */
      readonly manifest?: { readonly [name: string]: unknown };
      /** What the model counted. */
      readonly usage: {
        /** Tokens of the prompts; null when the provider does not tell. */
        readonly input_tokens: number | null;
        /** Tokens of the answers; null when the provider does not tell. */
        readonly output_tokens: number | null;
      };
      /** The answers of all agents, in order. The last one is that above, and leaves its manifest there. */
      readonly answers: ReadonlyArray<{
        /** The name of an agent. */
        readonly agent_id: string;
        /** Names a message. */
        readonly message_id: string;
        /** What the agent says. */
        readonly answer: string;
      }>;
    };
  };
  /** Let an agent answer one prompt about images. */
  readonly runAgentWithImages: {
    readonly input: {
      /** What to answer. */
      readonly prompt: string;
      /** Names the prompt. The same one again gets the answer that it got. */
      readonly message_id?: string;
      /** A new session when left out. */
      readonly session_id?: string;
      /** Who is to answer; when left out, all agents of the session, and `default` where it has none. */
      readonly agent_id?: string;
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Tokens for the prompt; those of the setting when left out. */
      readonly budget?: number;
      /** Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1. */
      readonly sections?: { readonly [name: string]: {
        /** What the section keeps of a full prompt, 0 to 1. */
        readonly floor?: number;
        /** The most that the section takes of a full prompt, 0 to 1. */
        readonly ceiling?: number;
      } };
      /** Answer as server-sent events. */
      readonly stream?: boolean;
      /** What to look at. */
      readonly images: ReadonlyArray<{
        /** The kind of the image. */
        readonly media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
        /** Base64. */
        readonly data: string;
      }>;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a message. */
      readonly message_id: string;
      /** The ids of the messages that were sent, made where they had none. */
      readonly new_message_ids: ReadonlyArray<string>;
      /** What the agent says. */
      readonly answer: string;
      /** The model that answered; `demo` for the built-in one. */
      readonly model: string;
      /** `stop`, or why the answer is not whole: `length`, `content-filter`, … */
      readonly finish_reason: string;
      /** The answer was given before, to the same message. */
      readonly is_repeated?: true;
      /** The tools that were used, in order. */
      readonly tools: ReadonlyArray<{
        /** Its name. */
        readonly name: string;
      }>;
      /** Every piece of the prompt with its source, its reason and its tokens, and what did not fit. */
      readonly manifest?: { readonly [name: string]: unknown };
      /** What the model counted. */
      readonly usage: {
        /** Tokens of the prompts; null when the provider does not tell. */
        readonly input_tokens: number | null;
        /** Tokens of the answers; null when the provider does not tell. */
        readonly output_tokens: number | null;
      };
      /** The answers of all agents, in order. The last one is that above, and leaves its manifest there. */
      readonly answers: ReadonlyArray<{
        /** The name of an agent. */
        readonly agent_id: string;
        /** Names a message. */
        readonly message_id: string;
        /** What the agent says. */
        readonly answer: string;
      }>;
    };
  };
  /** Keep a batch of messages. Sending it again changes nothing. A session of a new id is made; one that was deleted or forgotten answers 410. */
  readonly archiveMessages: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** The messages, oldest first. */
      readonly messages_batch: ReadonlyArray<{
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly role: "system" | "user" | "assistant" | "tool";
        /** The text. */
        readonly content: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
        /** The tools that are called. */
        readonly tool_calls?: ReadonlyArray<{
          /** Names the call. */
          readonly id: string;
          /** The name of the tool. */
          readonly name: string;
          /** What the tool was called with. */
          readonly arguments: { readonly [name: string]: unknown };
        }>;
        /** The call that this answers. */
        readonly tool_call_id?: string;
      } | {
        /** Names it. */
        readonly id?: string;
        /** Who speaks. */
        readonly sender: "user" | "ai";
        /** The text. */
        readonly text: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp?: string;
      }>;
      /** Names the batch: the same one again changes nothing. Made when left out. */
      readonly batch_id?: string;
      /** From /api/archive_ticket, in place of a key. Then the type of the body may be text/plain. */
      readonly ticket?: string;
    };
    readonly output: {
      /** Names the batch: the same one again changes nothing. Made when left out. */
      readonly batch_id: string;
      /** How many messages were not there before. */
      readonly archived: number;
      /** Messages that were archived before, twice in the batch, or forgotten since. */
      readonly duplicates: number;
      /** Messages of tools and of the system, calls of tools, and messages without text. */
      readonly left_out: number;
      /** Ids that stand for another text already, which stays: these messages were not kept. */
      readonly conflicts: ReadonlyArray<string>;
      /** The time of the first message of the batch; null when it is empty. */
      readonly start_timestamp: string | null;
      /** The time of the last message of the batch; null when it is empty. */
      readonly end_timestamp: string | null;
    };
  };
  /** The conversations of the user, with their summaries. */
  readonly listChatSessions: {
    readonly input: {
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The sessions. */
      readonly sessions: ReadonlyArray<{
        /** Names a session. */
        readonly session_id: string;
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When the newest message was said; when it was made, before there is one. */
        readonly last_activity_at: string;
        /** The names of the agents that take part. */
        readonly agents: ReadonlyArray<string>;
        /** What the older messages were about; null when nothing is summarised yet. */
        readonly summary: string | null;
        /** How many messages the summary covers. */
        readonly summarizedCount: number;
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** One conversation, with its summary. */
  readonly getChatSession: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Names a session. */
      readonly session_id: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When the newest message was said; when it was made, before there is one. */
      readonly last_activity_at: string;
      /** The names of the agents that take part. */
      readonly agents: ReadonlyArray<string>;
      /** What the older messages were about; null when nothing is summarised yet. */
      readonly summary: string | null;
      /** How many messages the summary covers. */
      readonly summarizedCount: number;
    };
  };
  /** The messages of a conversation, oldest first, those that wait to be archived included. */
  readonly listChatMessages: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
      /** Begin behind the message of this id. */
      readonly after?: string;
      /** How many at most. */
      readonly limit?: number;
    };
    readonly output: {
      /** The messages, oldest first. */
      readonly messages: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Who speaks. */
        readonly role: "user" | "assistant";
        /** The text. */
        readonly content: string;
        /** Who speaks, in a group. */
        readonly name?: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
      }>;
      /** Whether there are messages behind these. */
      readonly has_more: boolean;
    };
  };
  /** What the memories of the user are made of: types and topics over time, sizes, the most used, decisions, what fades. */
  readonly analytics: {
    readonly input: {
      /** How many weeks back; this one counts. */
      readonly weeks?: number;
      /** How many of the commonest tags. */
      readonly topics?: number;
      /** How many of each list. */
      readonly limit?: number;
    };
    readonly output: {
      /** How many memories there are. */
      readonly total: number;
      /** False when there is more than was looked at: the newest are counted. */
      readonly is_complete: boolean;
      /** How many of each type. */
      readonly types: {
        /** How many of the type conversation. */
        readonly conversation: number;
        /** How many of the type decision. */
        readonly decision: number;
        /** How many of the type finding. */
        readonly finding: number;
        /** How many of the type preference. */
        readonly preference: number;
      };
      /** What was remembered in each week, oldest first. */
      readonly weeks: ReadonlyArray<{
        /** How many of the type conversation. */
        readonly conversation: number;
        /** How many of the type decision. */
        readonly decision: number;
        /** How many of the type finding. */
        readonly finding: number;
        /** How many of the type preference. */
        readonly preference: number;
        /** The Monday that it begins with, UTC. */
        readonly start: string;
      }>;
      /** The commonest tags. */
      readonly topics: ReadonlyArray<{
        /** The tag. */
        readonly tag: string;
        /** How many memories have it. */
        readonly total: number;
        /** How many in each of the weeks. */
        readonly weeks: ReadonlyArray<number>;
      }>;
      /** Sizes of sessions. */
      readonly sizes: {
        /** How many sessions were looked at, those with the newest memories. */
        readonly sessions: number;
        /** What they take. */
        readonly bytes: number;
        /** The largest of them. */
        readonly largest: ReadonlyArray<{
          /** Names a session. */
          readonly session_id: string;
          /** What it takes. */
          readonly bytes: number;
          /** What it may take. */
          readonly limit_bytes: number;
        }>;
      };
      /** What was said and is archived, in all sessions of the user. */
      readonly transcript: {
        /** How many sessions have messages. */
        readonly sessions: number;
        /** How many messages their transcripts hold. */
        readonly messages: number;
        /** False when there are more sessions than were looked at. */
        readonly is_complete: boolean;
      };
      /** The memories that were used most often. */
      readonly most_used: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** The beginning of its text. */
        readonly text: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** How often it was given to a caller or stood in a prompt. */
        readonly uses: number;
      }>;
      /** What fades within a week, soonest first. */
      readonly fading: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** The beginning of its text. */
        readonly text: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** importance × decay × recency, now. */
        readonly relevance: number;
        /** How much of that it loses within a week if it is left alone, in %. */
        readonly loss_percent: number;
        /** When it falls below the threshold if it is left alone, ISO 8601. */
        readonly fades_at: string;
      }>;
      /** The newest decisions, with what refers to them. */
      readonly decisions: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** The beginning of its text. */
        readonly text: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** The memories that refer to it or replace it. */
        readonly referred_by: ReadonlyArray<string>;
      }>;
    };
  };
  /** How the memories of the user refer to one another: a graph of them, or of those around one. */
  readonly references: {
    readonly input: {
      /** Begin here; all that refer to others when left out. */
      readonly memory_id?: string;
      /** How many references away. */
      readonly depth?: number;
      /** How many memories at most, the newest. */
      readonly limit?: number;
    };
    readonly output: {
      /** The memories. */
      readonly nodes: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id: string;
        /** The kind: `conversation`, `decision`, `finding` or `preference`. */
        readonly type: "conversation" | "decision" | "finding" | "preference";
        /** The beginning of its text. */
        readonly text: string;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
      }>;
      /** The references between them. */
      readonly edges: ReadonlyArray<{
        /** The memory that refers. */
        readonly from: string;
        /** The memory that it refers to. */
        readonly to: string;
        /** Whether it refers to it, or takes its place. */
        readonly kind: "references" | "replaces";
      }>;
      /** False when there is more than was looked at: the newest are counted. */
      readonly is_complete: boolean;
    };
  };
  /** The whiteboard that all agents see, as far as the caller may see it, oldest line first. */
  readonly readWhiteboard: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** The lines, oldest first. */
      readonly lines: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** The text. */
        readonly content: string;
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it was last changed, ISO 8601. */
        readonly updated_at: string;
        /** Whether every user’s agents see it, or those alone that talk to its user. */
        readonly share_memory: boolean;
        /** Where it comes from. */
        readonly provenance: {
          /** Who wrote it. */
          readonly author: "user" | "assistant" | "tool" | "import" | "system";
          /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
          readonly trust: "owner" | "agent" | "external" | "untrusted";
          /** The name of an agent. */
          readonly agent_id?: string;
          /** Names a message. */
          readonly message_id?: string;
          /** Names a session. */
          readonly session_id?: string;
          /** Whose it is. */
          readonly user_id?: string;
          /** The tool, page or file that it was taken from. */
          readonly source?: string;
        };
      }>;
    };
  };
  /** Write a line on the whiteboard: for every user as an admin, else for the own user. */
  readonly addToWhiteboard: {
    readonly input: {
      /** The text. */
      readonly content: string;
      /** Made when left out. Saving under it again changes nothing. */
      readonly id?: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** The text. */
      readonly content: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** Whether every user’s agents see it, or those alone that talk to its user. */
      readonly share_memory: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
  };
  /** Change a line of the whiteboard. Its earlier text is kept. */
  readonly editWhiteboard: {
    readonly input: {
      /** Names a line. */
      readonly memory_id: string;
      /** The text. */
      readonly content: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** The text. */
      readonly content: string;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it was last changed, ISO 8601. */
      readonly updated_at: string;
      /** Whether every user’s agents see it, or those alone that talk to its user. */
      readonly share_memory: boolean;
      /** Where it comes from. */
      readonly provenance: {
        /** Who wrote it. */
        readonly author: "user" | "assistant" | "tool" | "import" | "system";
        /** How far it can be trusted: `owner`, `agent`, `external` or `untrusted`. */
        readonly trust: "owner" | "agent" | "external" | "untrusted";
        /** The name of an agent. */
        readonly agent_id?: string;
        /** Names a message. */
        readonly message_id?: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Whose it is. */
        readonly user_id?: string;
        /** The tool, page or file that it was taken from. */
        readonly source?: string;
      };
    };
  };
  /** Take a line off the whiteboard, and out of every file. */
  readonly wipeFromWhiteboard: {
    readonly input: {
      /** Names a line. */
      readonly memory_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** Whether it is gone. */
      readonly deleted: true;
    };
  };
  /** Look for memories to merge, facts that look replaced, journal entries worth keeping, subjects for the notes; list them for review. */
  readonly findProposals: {
    readonly input: {
      /** Whose notes sections are for; `default` when left out. */
      readonly agent_id?: string;
    };
    readonly output: {
      /** How many were found that were not listed before. */
      readonly found: number;
      /** How many wait for a decision. */
      readonly open: number;
    };
  };
  /** What waits for review. Nothing happens before it is accepted. */
  readonly listProposals: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** Newest first. */
      readonly proposals: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** `merge`: they say the same. `replace`: the first looks like a newer version of the second. `core`: a journal entry worth keeping. `notes`: several on one subject, as a section of the notes. */
        readonly kind: "merge" | "replace" | "core" | "notes";
        /** In a sentence. */
        readonly why: string;
        /** What it is about, newest first. */
        readonly memories: ReadonlyArray<{
          /** Names it. */
          readonly id: string;
          /** The text. */
          readonly text: string;
          /** When it was made, ISO 8601. */
          readonly timestamp: string;
        }>;
        /** What would be kept; another text can be given when it is accepted. */
        readonly text: string;
        /** The name of an agent. */
        readonly agent_id?: string;
        /** The section of the notes that would be written. */
        readonly section?: string;
        /** When it was proposed, ISO 8601. */
        readonly proposed_at: string;
      }>;
    };
  };
  /** Do what a proposal says, with its own text or another. */
  readonly acceptProposal: {
    readonly input: {
      /** Names a proposal. */
      readonly proposal_id: string;
      /** To keep instead of the proposed text. */
      readonly text?: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** What was decided. */
      readonly state: "accepted" | "dismissed";
    };
  };
  /** Take a proposal off the list. It is not made again. */
  readonly dismissProposal: {
    readonly input: {
      /** Names a proposal. */
      readonly proposal_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** What was decided. */
      readonly state: "accepted" | "dismissed";
    };
  };
  /** What would be forgotten, in words and numbers, and of which time. Changes nothing. */
  readonly previewForgetting: {
    readonly input: {
      /** Of this session only; of all of the user when left out. */
      readonly session_id?: string;
      /** These memories, messages and details. */
      readonly ids?: ReadonlyArray<string>;
      /** What carries this tag, or one below it. */
      readonly topic?: string;
      /** Whatever holds these whole words as they are, in upper or lower case: memories, messages, details, notes, journal and core. */
      readonly text?: string;
      /** Only what is dated from start to end, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601; a day without a time from its beginning. */
        readonly start: string;
        /** Until then, ISO 8601; a day without a time to its end. */
        readonly end: string;
      };
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** What forget_agent would take away: of the agent as a whole, or of its journal and core by ids. */
      readonly agent_id?: string;
    };
    readonly output: {
      /** How many sessions. */
      readonly sessions: number;
      /** How many memories. */
      readonly memories: number;
      /** How many messages. */
      readonly messages: number;
      /** How many details. */
      readonly details: number;
      /** How many documents of notes. */
      readonly notes: number;
      /** How many lines of notes. */
      readonly note_lines: number;
      /** How many agents. */
      readonly agents: number;
      /** How many lines cannot be read and go because they may hold what is meant, when there are any. */
      readonly damaged_lines?: number;
      /** How many sessions cannot be read, when there are any: what could not be read in them is not counted. */
      readonly unread_sessions?: number;
      /** The moments that are meant, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
      /** What would go, in words; at most a hundred of them. */
      readonly items: ReadonlyArray<{
        /** What it is; `private`: of an agent’s journal or core; `notes`: a line of an agent’s notes. */
        readonly kind: "memory" | "message" | "detail" | "private" | "notes" | "session";
        /** Names it. */
        readonly id: string;
        /** Names a session. */
        readonly session_id?: string;
        /** Its beginning; of a detail its description. */
        readonly text: string;
        /** Why it goes. */
        readonly reason: string;
      }>;
      /** How many more there are than a hundred. */
      readonly items_left_out?: number;
    };
  };
  /** Forget everywhere, for good: all of the user, of a session, or what is selected of it. */
  readonly forget: {
    readonly input: {
      /** Of this session only; of all of the user when left out. */
      readonly session_id?: string;
      /** These memories, messages and details. */
      readonly ids?: ReadonlyArray<string>;
      /** What carries this tag, or one below it. */
      readonly topic?: string;
      /** Whatever holds these whole words as they are, in upper or lower case: memories, messages, details, notes, journal and core. */
      readonly text?: string;
      /** Only what is dated from start to end, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601; a day without a time from its beginning. */
        readonly start: string;
        /** Until then, ISO 8601; a day without a time to its end. */
        readonly end: string;
      };
      /** Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone. */
      readonly time_zone?: string;
      /** Needed when nothing is selected. */
      readonly everything?: true;
    };
    readonly output: {
      /** Names the receipt; null when there was nothing to forget: then none is kept. */
      readonly receipt_id: string | null;
      /** When it was, ISO 8601. */
      readonly timestamp: string;
      /** Whether a user, a session or an agent was meant. */
      readonly scope: string;
      /** SHA-256 of the name of the user, session or agent. */
      readonly subject: string;
      /** By what it was selected. */
      readonly selection: string;
      /** SHA-256 of each id, or of the topic. */
      readonly selected: ReadonlyArray<string>;
      /** SHA-256 of what went along without being named. */
      readonly taken_along: ReadonlyArray<string>;
      /** The moments that are meant, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
      /** How much was forgotten. */
      readonly pieces: {
        /** How many sessions. */
        readonly sessions: number;
        /** How many memories. */
        readonly memories: number;
        /** How many messages. */
        readonly messages: number;
        /** How many details. */
        readonly details: number;
        /** How many documents of notes. */
        readonly notes: number;
        /** How many lines of notes. */
        readonly note_lines: number;
        /** How many agents. */
        readonly agents: number;
        /** How many lines cannot be read and go because they may hold what is meant, when there are any. */
        readonly damaged_lines?: number;
        /** How many sessions cannot be read, when there are any: what could not be read in them is not counted. */
        readonly unread_sessions?: number;
      };
      /** The ids that nothing was found of, when there are any. Only in the answer, never in the list of receipts. */
      readonly not_found?: ReadonlyArray<string>;
      /** Tables of a database whose files still hold deleted bytes, when there are any. Only in the answer. */
      readonly still_held?: ReadonlyArray<string>;
    };
  };
  /** Forget an agent everywhere: journal, core, its notes on all users, what it wrote; or memories of its journal and core. The whole is for keys that speak for all. */
  readonly forgetAgent: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Of journal and core; the whole agent when left out. */
      readonly ids?: ReadonlyArray<string>;
    };
    readonly output: {
      /** Names the receipt; null when there was nothing to forget: then none is kept. */
      readonly receipt_id: string | null;
      /** When it was, ISO 8601. */
      readonly timestamp: string;
      /** Whether a user, a session or an agent was meant. */
      readonly scope: string;
      /** SHA-256 of the name of the user, session or agent. */
      readonly subject: string;
      /** By what it was selected. */
      readonly selection: string;
      /** SHA-256 of each id, or of the topic. */
      readonly selected: ReadonlyArray<string>;
      /** SHA-256 of what went along without being named. */
      readonly taken_along: ReadonlyArray<string>;
      /** The moments that are meant, both included. */
      readonly time_range?: {
        /** From then on, ISO 8601. */
        readonly start: string;
        /** Until then, ISO 8601. */
        readonly end: string;
      };
      /** How much was forgotten. */
      readonly pieces: {
        /** How many sessions. */
        readonly sessions: number;
        /** How many memories. */
        readonly memories: number;
        /** How many messages. */
        readonly messages: number;
        /** How many details. */
        readonly details: number;
        /** How many documents of notes. */
        readonly notes: number;
        /** How many lines of notes. */
        readonly note_lines: number;
        /** How many agents. */
        readonly agents: number;
        /** How many lines cannot be read and go because they may hold what is meant, when there are any. */
        readonly damaged_lines?: number;
        /** How many sessions cannot be read, when there are any: what could not be read in them is not counted. */
        readonly unread_sessions?: number;
      };
      /** The ids that nothing was found of, when there are any. Only in the answer, never in the list of receipts. */
      readonly not_found?: ReadonlyArray<string>;
      /** Tables of a database whose files still hold deleted bytes, when there are any. Only in the answer. */
      readonly still_held?: ReadonlyArray<string>;
    };
  };
  /** Black out a text in one memory, message, detail or document of notes. */
  readonly redact: {
    readonly input: {
      /** The text to black out. */
      readonly text: string;
      /** Names a session. */
      readonly session_id?: string;
      /** Names a memory. */
      readonly memory_id?: string;
      /** Names a message. */
      readonly message_id?: string;
      /** Names a detail: what stands in its placeholder. */
      readonly memory_key?: string;
      /** Its notes on the user. */
      readonly agent_id?: string;
    };
    readonly output: {
      /** How many times the text was there. */
      readonly redacted: number;
    };
  };
  /** Black out a text in a journal or core memory, and in its earlier texts. */
  readonly redactAgentMemory: {
    readonly input: {
      /** The name of an agent. */
      readonly agent_id: string;
      /** Names a memory. */
      readonly memory_id: string;
      /** The text. */
      readonly text: string;
    };
    readonly output: {
      /** How many times the text was there. */
      readonly redacted: number;
    };
  };
  /** Everything about the user, as lines of JSON. */
  readonly exportUser: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** Everything, one object for each record. */
      readonly lines: ReadonlyArray<unknown>;
    };
  };
  /** What was forgotten when, without its content, newest first. For keys that speak for all. */
  readonly listReceipts: {
    readonly input: {
      /** How many at most. */
      readonly limit?: number;
      /** From the page before: its next_cursor. */
      readonly cursor?: string;
    };
    readonly output: {
      /** The receipts, newest first. */
      readonly receipts: ReadonlyArray<{
        /** Names the receipt; null when there was nothing to forget: then none is kept. */
        readonly receipt_id: string | null;
        /** When it was, ISO 8601. */
        readonly timestamp: string;
        /** Whether a user, a session or an agent was meant. */
        readonly scope: string;
        /** SHA-256 of the name of the user, session or agent. */
        readonly subject: string;
        /** By what it was selected. */
        readonly selection: string;
        /** SHA-256 of each id, or of the topic. */
        readonly selected: ReadonlyArray<string>;
        /** SHA-256 of what went along without being named. */
        readonly taken_along: ReadonlyArray<string>;
        /** The moments that are meant, both included. */
        readonly time_range?: {
          /** From then on, ISO 8601. */
          readonly start: string;
          /** Until then, ISO 8601. */
          readonly end: string;
        };
        /** How much was forgotten. */
        readonly pieces: {
          /** How many sessions. */
          readonly sessions: number;
          /** How many memories. */
          readonly memories: number;
          /** How many messages. */
          readonly messages: number;
          /** How many details. */
          readonly details: number;
          /** How many documents of notes. */
          readonly notes: number;
          /** How many lines of notes. */
          readonly note_lines: number;
          /** How many agents. */
          readonly agents: number;
          /** How many lines cannot be read and go because they may hold what is meant, when there are any. */
          readonly damaged_lines?: number;
          /** How many sessions cannot be read, when there are any: what could not be read in them is not counted. */
          readonly unread_sessions?: number;
        };
        /** The ids that nothing was found of, when there are any. Only in the answer, never in the list of receipts. */
        readonly not_found?: ReadonlyArray<string>;
        /** Tables of a database whose files still hold deleted bytes, when there are any. Only in the answer. */
        readonly still_held?: ReadonlyArray<string>;
      }>;
      /** Give it as `cursor` for the next page; not there on the last one. */
      readonly next_cursor?: string;
    };
  };
  /** Look for words in every byte of the store, but secrets of the server. For keys that are bound to no user. */
  readonly verifyErased: {
    readonly input: {
      /** What to look for, in every spelling of bytes. */
      readonly words: ReadonlyArray<string>;
    };
    readonly output: {
      /** Whether none of the words is left anywhere. */
      readonly is_erased: boolean;
      /** How many bytes were read. */
      readonly bytes_scanned: number;
      /** How many files were read. */
      readonly files_scanned: number;
      /** How many places hold one of the words. */
      readonly found: number;
      /** Where, without what: the file and the byte in it; the first 1000. */
      readonly places: ReadonlyArray<{
        /** Which file of the store. */
        readonly place: string;
        /** At which byte. */
        readonly offset: number;
      }>;
    };
  };
  /** Import an export, or memories of other programs, for the user: all of it or nothing. */
  readonly importMemories: {
    readonly input: {
      /** What the file says: lines of JSON, or one JSON value. */
      readonly content: string;
      /** The name of the file, for messages. */
      readonly name?: string;
      /** Where all goes; where the file says when left out. */
      readonly session_id?: string;
      /** Only tell what would be imported. */
      readonly dry_run?: boolean;
      /** `false`: a memory that was deleted here is an error. */
      readonly skip_deleted?: boolean;
    };
    readonly output: {
      /** Whose file it was taken for; `memories`: of no other kind. */
      readonly format: "longhand" | "mem0" | "mcp_memory" | "memories";
      /** How many sessions. */
      readonly sessions: number;
      /** How many memories. */
      readonly memories: number;
      /** How many messages. */
      readonly messages: number;
      /** How many notes. */
      readonly notes: number;
      /** How many details. */
      readonly details: number;
      /** How many agent memories. */
      readonly agent_memories: number;
      /** What was there, and stays as it is. */
      readonly already_there: {
        /** How many sessions. */
        readonly sessions: number;
        /** How many memories. */
        readonly memories: number;
        /** How many messages. */
        readonly messages: number;
        /** How many notes. */
        readonly notes: number;
        /** How many details. */
        readonly details: number;
        /** How many agent memories. */
        readonly agent_memories: number;
      };
      /** How many pieces were deleted or forgotten here, and stay gone. */
      readonly skipped_deleted: number;
      /** How many lines are nothing to keep. */
      readonly passed_over: number;
      /** What those are, and how many. */
      readonly passed_over_kinds: { readonly [name: string]: number };
      /** Fields of memories that mean nothing here, and how often they are there. */
      readonly left_out_fields: { readonly [name: string]: number };
      /** Other users that pieces name, and how many do: all are kept for the caller’s. */
      readonly of_other_users: { readonly [name: string]: number };
      /** The beginnings of the first 20 pieces that are new. */
      readonly samples: ReadonlyArray<{
        /** What it is. */
        readonly kind: "sessions" | "memories" | "messages" | "notes" | "details" | "agent_memories";
        /** Its beginning. */
        readonly text: string;
      }>;
    };
  };
  /** Make an API key, only for users and agents that the caller speaks for. Its token is shown this once. */
  readonly createKey: {
    readonly input: {
      /** What it is for, so that it is known later. */
      readonly label: string;
      /** What the key may do: `read`, `write`, or `admin` for everything. */
      readonly access?: "read" | "write" | "admin";
      /** Speaks for this user only. */
      readonly user_id?: string;
      /** Speaks as this agent only. */
      readonly agent_id?: string;
      /** ISO 8601. */
      readonly expires_at?: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** A name of the key, for people. */
      readonly label: string;
      /** What the key may do: `read`, `write`, or `admin` for everything. */
      readonly access: "read" | "write" | "admin";
      /** Speaks for this user only; null: for whom each request names. */
      readonly user_id: string | null;
      /** Speaks as this agent only; null: for the account. */
      readonly agent_id: string | null;
      /** When it was made, ISO 8601. */
      readonly created_at: string;
      /** When it ends, ISO 8601; null: never. */
      readonly expires_at: string | null;
      /** When it was revoked, ISO 8601; null: it is alive. */
      readonly revoked_at: string | null;
      /** When it was last used, to the day on files and to the minute in Postgres; null: never. */
      readonly last_used_at: string | null;
      /** The key itself. It is shown this once. */
      readonly token: string;
    };
  };
  /** The API keys of those the caller speaks for, without their tokens. */
  readonly listKeys: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** The keys, oldest first, revoked ones too. */
      readonly keys: ReadonlyArray<{
        /** Names it. */
        readonly id: string;
        /** A name of the key, for people. */
        readonly label: string;
        /** What the key may do: `read`, `write`, or `admin` for everything. */
        readonly access: "read" | "write" | "admin";
        /** Speaks for this user only; null: for whom each request names. */
        readonly user_id: string | null;
        /** Speaks as this agent only; null: for the account. */
        readonly agent_id: string | null;
        /** When it was made, ISO 8601. */
        readonly created_at: string;
        /** When it ends, ISO 8601; null: never. */
        readonly expires_at: string | null;
        /** When it was revoked, ISO 8601; null: it is alive. */
        readonly revoked_at: string | null;
        /** When it was last used, to the day on files and to the minute in Postgres; null: never. */
        readonly last_used_at: string | null;
      }>;
    };
  };
  /** End an API key. */
  readonly revokeKey: {
    readonly input: {
      /** The id of the key. */
      readonly key_id: string;
    };
    readonly output: {
      /** Names it. */
      readonly id: string;
      /** The key is dead. */
      readonly revoked: true;
    };
  };
  /** End the sessions of all browsers and all archive tickets of the account, by replacing the secret that they are signed with. Keys and tokens stay. */
  readonly endSessions: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** People at browsers sign in again. */
      readonly ended: true;
    };
  };
  /** The members of the account with their roles. */
  readonly listMembers: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** By user id. */
      readonly members: ReadonlyArray<{
        /** The user. */
        readonly user_id: string;
        /** `member`: their own memory. `admin`: also what all users share, keys and members. */
        readonly role: "member" | "admin";
        /** When it was made, ISO 8601. */
        readonly created_at: string;
      }>;
    };
  };
  /** Add a member, also one who was removed. */
  readonly addMember: {
    readonly input: {
      /** The user: the subject of their tokens. */
      readonly user_id: string;
      /** `member`: their own memory. `admin`: also what all users share, keys and members. */
      readonly role?: "member" | "admin";
    };
    readonly output: {
      /** The user. */
      readonly user_id: string;
      /** `member`: their own memory. `admin`: also what all users share, keys and members. */
      readonly role: "member" | "admin";
      /** When it was made, ISO 8601. */
      readonly created_at: string;
    };
  };
  /** Give a member another role. It counts at the next request. */
  readonly changeMember: {
    readonly input: {
      /** The user: the subject of their tokens. */
      readonly user_id: string;
      /** `member`: their own memory. `admin`: also what all users share, keys and members. */
      readonly role: "member" | "admin";
    };
    readonly output: {
      /** The user. */
      readonly user_id: string;
      /** `member`: their own memory. `admin`: also what all users share, keys and members. */
      readonly role: "member" | "admin";
      /** When it was made, ISO 8601. */
      readonly created_at: string;
    };
  };
  /** Remove a member: keys and tokens of this user no longer count. Their memory stays. */
  readonly removeMember: {
    readonly input: {
      /** The user: the subject of their tokens. */
      readonly user_id: string;
    };
    readonly output: {
      /** The user. */
      readonly user_id: string;
      /** Whether it is gone. */
      readonly removed: true;
    };
  };
  /** Exchange an API key or a token in the Authorization header for the session of a browser, in a cookie that scripts cannot read. With a session, renew it. */
  readonly signIn: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** The account. */
      readonly account_id: string;
      /** The user; null: the one that each request names. */
      readonly user_id: string | null;
      /** The agent; null: the one that each request names. */
      readonly agent_id: string | null;
      /** `admin` sees what all users share, and looks after keys and members. */
      readonly role: "member" | "admin";
      /** What the caller may do. */
      readonly access: "read" | "write" | "admin";
      /** When the caller has to sign in again, ISO 8601; null: never. */
      readonly expires_at: string | null;
      /** To be sent as the header `longhand-csrf` with all requests but GET; null: there is no session. */
      readonly csrf_token: string | null;
    };
  };
  /** End the session of the browser. */
  readonly signOut: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** The cookie is taken back. */
      readonly signed_out: true;
    };
  };
  /** Who the caller is and what they may do. */
  readonly whoAmI: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: {
      /** The account. */
      readonly account_id: string;
      /** The user; null: the one that each request names. */
      readonly user_id: string | null;
      /** The agent; null: the one that each request names. */
      readonly agent_id: string | null;
      /** `admin` sees what all users share, and looks after keys and members. */
      readonly role: "member" | "admin";
      /** What the caller may do. */
      readonly access: "read" | "write" | "admin";
      /** When the caller has to sign in again, ISO 8601; null: never. */
      readonly expires_at: string | null;
      /** To be sent as the header `longhand-csrf` with all requests but GET; null: there is no session. */
      readonly csrf_token: string | null;
    };
  };
  /** A ticket that adds messages to one session for 15 minutes and does nothing else: a page that is left sends it in the body of archive_messages, where it can send no key. */
  readonly makeArchiveTicket: {
    readonly input: {
      /** Names a session. */
      readonly session_id: string;
    };
    readonly output: {
      /** Goes into the body as `ticket`, never into an address. */
      readonly ticket: string;
      /** When it ends, ISO 8601. */
      readonly expires_at: string;
    };
  };
}
