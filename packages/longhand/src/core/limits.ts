/** What Longhand refuses, in one place. Sizes are bytes of UTF-8 unless the name says otherwise. */
export const LIMITS = {
  /** The serialised `content` of one memory. */
  contentBytes: 1_048_576,
  /** Levels of nesting in `content`: far above any sane structure, far below what overflows a stack. */
  contentDepth: 64,
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
  /** Notes that a person saved by hand; agents have `notes.max_kb`. */
  handEditedNotesBytes: 10_485_760,
} as const;
