/** What Longhand refuses, in one place. Sizes are bytes of UTF-8 unless the name says otherwise. */
export const LIMITS = {
  /** The serialised `content` of one memory. */
  contentBytes: 1_048_576,
  /** Levels of nesting in `content`: far above any sane structure, far below what overflows a stack. */
  contentDepth: 64,
  /** The text of a query: room for more than ten thousand words. */
  queryCharacters: 131_072,
  tagCharacters: 32,
  tagsPerMemory: 100,
  referencesPerMemory: 1_000,
  memoryIdCharacters: 32,
  sessionIdCharacters: 64,
  /** User and agent names, in code points. */
  nameCharacters: 128,
  /** A name as a file name: most file systems stop at 255 bytes, and suffixes need room. */
  nameFileBytes: 200,
  agentsPerSession: 64,
  /** `preferences.custom` of a session, as JSON: it is read whole whenever the session is. */
  customPreferenceCharacters: 16_384,
  memoryKeyCharacters: 255,
  memoryTypeCharacters: 50,
  /** The description in a placeholder, in code points: some 60 tokens. */
  descriptionCharacters: 240,
  /** `content_metadata` of a detail, as JSON: it is read whenever details are listed. */
  detailMetadataCharacters: 16_384,
  /** What one answer may hold of a detail; a larger one is paged. */
  detailAnswerBytes: 1_048_576,
  /** A JSON value up to this size is parsed to find a place in it. */
  detailJsonBytes: 16_777_216,
  /** A word or phrase to look for inside a detail. */
  detailSearchCharacters: 1_000,
  /** One journal or core memory, in code points. */
  agentMemoryCharacters: 10_000,
  /** Earlier texts of an edited journal or core memory that are kept; older ones go. */
  agentMemoryVersions: 20,
  /** In code points, like the other texts of an agent's settings. */
  systemPromptCharacters: 100_000,
  modelNameCharacters: 256,
  colourCharacters: 32,
  iconCharacters: 64,
  /** Notes that a person saved by hand; agents have `notes.max_kb`. */
  handEditedNotesBytes: 10_485_760,
  /** The text of one message. */
  messageBytes: 1_048_576,
  /** Ids of messages and batches come from clients of all kinds. */
  messageIdCharacters: 128,
  /** Messages of a batch that are written as one record; a larger batch takes several. */
  batchRecordBytes: 1_048_576,
  /** What a summariser may answer: a longer synopsis is refused. */
  summaryCharacters: 32_768,
} as const;

/** Node's timers overflow beyond this and would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;
