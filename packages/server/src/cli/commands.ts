import type { Command, CommandOption, IdentityOption } from './command.ts';

/** All commands, in the order of the help page. Nothing here loads what a command needs to run. */

const MEMORY_TYPES = ['conversation', 'decision', 'finding', 'preference'];
const WHOLE_IDENTITY: readonly IdentityOption[] = ['user', 'agent', 'session', 'account'];
/** Of a user, whichever of their agents wrote it. */
const OF_ALL_AGENTS: readonly IdentityOption[] = ['user', 'session', 'account'];
const DRY_RUN: CommandOption = { name: 'dry-run', short: 'n', description: 'Only say what would happen' };
/** What narrows a list of memories. */
const NARROWING: readonly CommandOption[] = [
  {
    name: 'type',
    short: 't',
    value: 'type',
    description: 'Only these',
    choices: MEMORY_TYPES,
    isRepeated: true,
  },
  {
    name: 'tag',
    value: 'tag',
    description: 'With this tag or one under it; if several, all',
    isRepeated: true,
  },
  {
    name: 'any-tag',
    value: 'tag',
    description: 'The same; if several, one of them',
    isRepeated: true,
  },
  { name: 'exclude-tag', value: 'tag', description: 'Without this tag, or one under it', isRepeated: true },
  { name: 'min-importance', value: '0…1', description: 'Only what matters at least so much' },
  { name: 'within', short: 'w', value: 'time', description: 'A time in words: "last week", 24h, P7D' },
  { name: 'as-of', value: 'time', description: 'What was known then: yesterday, 2026-05-14' },
  { name: 'include-replaced', description: 'Also what newer memories have replaced' },
];
/** Of examples, at its full length: the beginning of one names nothing. */
const MEMORY_ID = 'mem_01M7HZGWF44X7J7G9MPRSJ4XW1';
const SOME_SESSIONS = {
  name: 'session',
  description: 'The sessions; all of yours when none is named',
  isOptional: true,
  isRepeated: true,
};

export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Start the HTTP server',
    description:
      'Starts the server and prints where to look. It listens on this machine only, needs no account there, and keeps everything in the storage folder. Ctrl-C ends it when all is written.',
    settings: 'server',
    identity: [],
    examples: ['longhand serve', 'longhand serve --port 8080 --storage-root ./memory'],
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'mcp',
    summary: 'Serve an MCP client over standard input and output',
    description:
      'For the configuration of an MCP client. Any number of them may work on one folder at once. Standard output carries the protocol; what there is to say goes to standard error.',
    settings: 'store',
    identity: WHOLE_IDENTITY,
    examples: ['longhand mcp', 'longhand mcp --storage-root ~/notes/memory --agent scout'],
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'connect',
    summary: 'Connect the MCP clients on this machine',
    description:
      'Adds Longhand to the configuration of Claude Code, Claude Desktop and Cursor, as far as they are used here; the clients then share one memory. Shows the change and asks first. Everything else in the files stays as it is, comments included.',
    positionals: [
      {
        name: 'client',
        description: 'claude-code, claude-desktop or cursor; those that are found when none is named',
        isOptional: true,
        isRepeated: true,
        choices: ['claude-code', 'claude-desktop', 'cursor'],
      },
    ],
    options: [
      DRY_RUN,
      { name: 'yes', short: 'y', description: 'Do not ask' },
      { name: 'undo', description: 'Put the files back as they were, byte for byte' },
    ],
    settings: 'store',
    identity: ['user', 'agent', 'account'],
    examples: ['longhand connect', 'longhand connect cursor --dry-run', 'longhand connect --undo --yes'],
    load: async () => (await import('./commands/connect.ts')).connect,
  },
  {
    name: 'chat',
    summary: 'Chat in the terminal, and see what is remembered',
    description:
      'Talks to the configured model, or to the built-in demo model when there is none. What it recalls, stores and forgets is shown as it happens. A message can be given right away.',
    positionals: [
      { name: 'message', description: 'One message: answer it and end', isOptional: true, isRepeated: true },
    ],
    settings: 'conversation',
    identity: WHOLE_IDENTITY,
    examples: ['longhand chat', 'longhand chat "What do you know about me?"'],
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  {
    name: 'remember',
    summary: 'Remember something, or confirm what is known already',
    description:
      'Keeps a memory in the session of the day. The same text again is confirmed and not kept twice. Close memories are shown: --replaces takes them out of what is recalled.',
    positionals: [
      { name: 'text', description: 'What to remember; - reads it from standard input', isRepeated: true },
    ],
    options: [
      { name: 'type', short: 't', value: 'type', description: 'What it is (finding)', choices: MEMORY_TYPES },
      { name: 'tag', value: 'tag', description: 'A tag; may be given several times', isRepeated: true },
      { name: 'importance', short: 'i', value: '0…1', description: 'How much it matters (0.5)' },
      { name: 'replaces', value: 'id', description: 'A memory that is no longer true', isRepeated: true },
    ],
    settings: 'store',
    identity: WHOLE_IDENTITY,
    examples: [
      'longhand remember "I live in Hamburg"',
      `longhand remember "Off to Lisbon" --replaces ${MEMORY_ID}`,
    ],
    load: async () => (await import('./commands/remember.ts')).remember,
  },
  {
    name: 'recall',
    summary: 'Recall what is known about something, best first',
    positionals: [{ name: 'text', description: 'A question, or words', isRepeated: true }],
    options: [
      ...NARROWING,
      { name: 'limit', short: 'l', value: 'number', description: 'How many at the most (10)' },
    ],
    settings: 'store',
    identity: ['user', 'account'],
    examples: ['longhand recall "Where do I live?"', 'longhand recall "my doctor" --include-replaced'],
    load: async () => (await import('./commands/recall.ts')).recall,
  },
  {
    name: 'add',
    summary: 'Add a memory',
    positionals: [
      { name: 'text', description: 'What to remember; - reads it from standard input', isRepeated: true },
    ],
    options: [
      { name: 'type', short: 't', value: 'type', description: 'What it is (finding)', choices: MEMORY_TYPES },
      { name: 'tag', value: 'tag', description: 'A tag; may be given several times', isRepeated: true },
      { name: 'importance', short: 'i', value: '0…1', description: 'How much it matters (0.5)' },
      { name: 'reference', value: 'id', description: 'A memory that it belongs to', isRepeated: true },
      { name: 'id', value: 'id', description: 'Its id: adding it twice keeps it once' },
    ],
    settings: 'store',
    identity: WHOLE_IDENTITY,
    examples: [
      'longhand add "I like short answers" --type preference',
      'git log -1 | longhand add - --tag release',
    ],
    load: async () => (await import('./commands/add.ts')).add,
  },
  {
    name: 'search',
    summary: 'Find memories, best first',
    positionals: [
      {
        name: 'text',
        description: 'Words, "phrases" and wild*cards; "*" lists the newest',
        isOptional: true,
        isRepeated: true,
      },
    ],
    options: [
      ...NARROWING,
      { name: 'min-match', value: '0…1', description: 'Only what holds so much of the text' },
      { name: 'duplicates', description: 'Show memories that say the same each by itself' },
      { name: 'limit', short: 'l', value: 'number', description: 'How many at the most (10)' },
      {
        name: 'sort',
        value: 'order',
        description: 'By relevance, match, time or importance (relevance)',
        choices: ['relevance', 'match', 'time', 'importance'],
      },
      { name: 'explain', short: 'e', description: 'Show what each score is made of' },
    ],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: [
      'longhand search deployment',
      'longhand search "blue green" --within "last month" --explain',
      'longhand search bluefin --exclude-tag incident --min-match 0.5',
    ],
    load: async () => (await import('./commands/search.ts')).search,
  },
  {
    name: 'list',
    summary: 'List memories, newest first',
    description:
      'With --json the answer is one object: memories, and next_cursor when there may be more. With --json and --all it is one memory a line, since there may be any number of them.',
    options: [
      ...NARROWING,
      { name: 'limit', short: 'l', value: 'number', description: 'How many at the most (20)' },
      { name: 'all', short: 'a', description: 'All there are, however many' },
    ],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: ['longhand list --type preference', 'longhand list --session chat-1 --all'],
    load: async () => (await import('./commands/list.ts')).list,
  },
  {
    name: 'show',
    summary: 'Show a memory, a detail or a session',
    description:
      'A detail is a large text that is kept out of the prompt: what stands there is its placeholder, [MemoryRef: key - …].',
    positionals: [
      { name: 'id', description: 'The id of a memory or session, or the key in [MemoryRef: key - …]' },
    ],
    options: [
      { name: 'page', value: 'number', description: 'Which page of a detail' },
      { name: 'lines', value: 'first-last', description: 'Which lines of a detail' },
      { name: 'search', value: 'text', description: 'Only the lines of a detail that hold this' },
    ],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: [`longhand show ${MEMORY_ID}`, 'longhand show command_output_7k2m9x4qpa --lines 40-60'],
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    name: 'edit',
    summary: 'Put a memory right',
    description:
      'Changes what is named and leaves all else as it is, the id included. The text before stays in the log until it is compacted; what must be gone at once is forgotten.',
    positionals: [
      { name: 'id', description: 'The id of the memory' },
      {
        name: 'text',
        description: 'What it says from now on; - reads it from standard input',
        isOptional: true,
        isRepeated: true,
      },
    ],
    options: [
      { name: 'type', short: 't', value: 'type', description: 'What it is', choices: MEMORY_TYPES },
      {
        name: 'tag',
        value: 'tag',
        description: 'All its tags; may be given several times',
        isRepeated: true,
      },
      { name: 'clear-tags', description: 'Take its tags away' },
      { name: 'importance', short: 'i', value: '0…1', description: 'How much it matters' },
      { name: 'reference', value: 'id', description: 'All memories that it belongs to', isRepeated: true },
    ],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: [
      `longhand edit ${MEMORY_ID} "The meeting is on Thursday"`,
      `longhand edit ${MEMORY_ID} --importance 0.9`,
    ],
    load: async () => (await import('./commands/edit.ts')).edit,
  },
  {
    name: 'forget',
    summary: 'Forget for good, everywhere',
    description:
      'Takes memories, messages and details out of every file, not only out of sight, and keeps a receipt of what went, without its content. What was taken from a forgotten message goes with it; other messages that repeat the same stay. With --agent it means that agent: all that it wrote, for every user, or memories of its journal and core by their ids. Days are whole, and the question and --dry-run say from when to when. Asks first on a terminal; scripts say --yes.',
    positionals: [
      {
        name: 'id',
        description: 'Ids of memories, details and messages',
        isOptional: true,
        isRepeated: true,
      },
    ],
    options: [
      {
        name: 'text',
        value: 'words',
        description: 'What holds these words, messages too',
      },
      { name: 'topic', value: 'tag', description: 'Everything with this tag, or one under it' },
      {
        name: 'from',
        value: 'time',
        description: 'Everything from then on, with --to: a day, or words like --within',
      },
      { name: 'to', value: 'time', description: '… until then, that day included' },
      { name: 'everything', description: 'All that there is of the user, of --session, or of --agent' },
      { name: 'session', short: 's', value: 'id', description: 'Only of this session' },
      { name: 'agent', value: 'name', description: 'Of this agent, for every user' },
      DRY_RUN,
      { name: 'yes', short: 'y', description: 'Do not ask' },
    ],
    settings: 'store',
    needsStore: true,
    identity: ['user', 'account'],
    examples: [
      `longhand forget ${MEMORY_ID}`,
      'longhand forget --topic health --dry-run',
      'longhand forget --session chat-1 --everything',
      'longhand forget --agent scout --everything --dry-run',
    ],
    load: async () => (await import('./commands/forget.ts')).forget,
  },
  {
    name: 'export',
    summary: 'Write out what is kept about the user, or one session',
    description:
      'Without a session: all that is kept about the user, one JSON object a line: sessions, memories, messages, summaries, details, notes, and what agents keep of the user in journal and core. Of one session: json has its settings, when it began and its memories, jsonl the memories alone, one a line. import takes all of them back.',
    options: [
      {
        name: 'format',
        short: 'f',
        value: 'format',
        description: 'Of one session (json)',
        choices: ['json', 'jsonl'],
      },
      { name: 'output', short: 'o', value: 'file', description: 'Where to (standard output)' },
    ],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: ['longhand export -o memory.jsonl', 'longhand export --session chat-1 --format jsonl'],
    load: async () => (await import('./commands/export.ts')).exportMemories,
  },
  {
    name: 'import',
    summary: 'Take in memories from a file',
    description:
      'Takes what export writes, lines or a list of memories as JSON (their content may be a plain text), what mem0 answers with, and the file of the MCP reference memory server. Memories keep their ids and times: importing a file twice keeps each that has an id once, and the answer says how many were new and how many were there. What a session has no room for goes on in the next one: chat--2 after chat. The whole file is tried out first, with what the store holds: what cannot be is named with its line, and then nothing is imported. A field that nobody knows is refused; created_at, role, metadata and the like, which others use, are put where they mean the same, and what cannot be kept is named.',
    positionals: [{ name: 'file', description: 'The file; - reads standard input' }],
    options: [
      DRY_RUN,
      { name: 'skip-deleted', description: 'Leave out memories that were deleted here since' },
    ],
    settings: 'store',
    identity: OF_ALL_AGENTS,
    sessionDefault: 'those of the file, else one for each day',
    examples: ['longhand import memory.jsonl', 'longhand import memory.json --session from-elsewhere'],
    load: async () => (await import('./commands/import.ts')).importMemories,
  },
  {
    name: 'compact',
    summary: 'Take deleted memories out of the files',
    positionals: [SOME_SESSIONS],
    options: [{ name: 'drop-faded', description: 'Also drop what has faded below 0.05' }, DRY_RUN],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: ['longhand compact', 'longhand compact chat-1 --drop-faded --dry-run'],
    load: async () => (await import('./commands/compact.ts')).compact,
  },
  {
    name: 'prune',
    summary: 'Remove messages and details that were kept for their time',
    description:
      'Removes what is older than transcript.retainDays and details.expireAfterDays say, from all sessions of all users. A server does this by itself; this is for a store without one, and to see with --dry-run what would go. Ends with 4 when another process is at it.',
    options: [DRY_RUN],
    settings: 'store',
    needsStore: true,
    identity: [],
    examples: ['longhand prune --dry-run', 'longhand prune --transcript-retain-days 90'],
    load: async () => (await import('./commands/prune.ts')).prune,
  },
  {
    name: 'reindex',
    summary: 'Write index and metadata files anew from the logs',
    description:
      'Of all sessions of the user, or of those that are named. Without names it first takes in the sessions of the user that somebody has copied into the store by hand, and says how many: from then on they are listed and found like all others.',
    positionals: [SOME_SESSIONS],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: ['longhand reindex', 'longhand reindex chat-1'],
    load: async () => (await import('./commands/reindex.ts')).reindex,
  },
  {
    name: 'verify',
    summary: 'Check every line of every file',
    description:
      'Reads the whole store, of all users: every line of every log against its checksum, every detail against its digest, the search index, and what the server keeps: the spool and the API keys. Changes nothing. Ends with 1 when something is damaged, and says where.',
    settings: 'store',
    needsStore: true,
    identity: [],
    examples: ['longhand verify', 'longhand verify --json'],
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  {
    name: 'migrate',
    summary: 'Lift old files to the present format, or move to another store',
    description:
      'With --from and --to everything is copied: sessions, agents, notes, details, receipts, and what a server keeps in the folder: API keys and messages that wait to be archived. What is made from these, the new store makes for itself. The old store stays as it is. Stop whatever writes to it first; what was written meanwhile is reported.',
    options: [
      { name: 'schema', description: 'Lift every session to the present format' },
      { name: 'from', value: 'folder', description: 'Move from this store …' },
      { name: 'to', value: 'folder', description: '… to this one, which must not hold the same sessions' },
    ],
    settings: 'store',
    identity: [],
    examples: ['longhand migrate --schema', 'longhand migrate --from ./memory --to /backup/memory'],
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  {
    name: 'stats',
    summary: 'Show how much is kept, and how it is',
    positionals: [
      { name: 'session', description: 'Of one session; of all of yours when left out', isOptional: true },
    ],
    settings: 'store',
    needsStore: true,
    identity: OF_ALL_AGENTS,
    sessionDefault: 'all',
    examples: ['longhand stats', 'longhand stats chat-1'],
    load: async () => (await import('./commands/stats.ts')).stats,
  },
  {
    name: 'sessions',
    summary: 'List your sessions, newest first',
    positionals: [
      {
        name: 'text',
        description: 'Only those that speak of it, best first',
        isOptional: true,
        isRepeated: true,
      },
    ],
    options: [{ name: 'limit', short: 'l', value: 'number', description: 'How many at the most (20)' }],
    settings: 'store',
    needsStore: true,
    identity: ['user', 'account'],
    examples: ['longhand sessions', 'longhand sessions deployment'],
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  {
    name: 'notes',
    summary: 'Read and change the notes that an agent keeps on you',
    positionals: [
      {
        name: 'action',
        description: 'show (default), search, append, replace, history, diff, restore',
        isOptional: true,
        choices: ['show', 'search', 'append', 'replace', 'history', 'diff', 'restore'],
      },
      {
        name: 'value',
        description: 'The text (- reads standard input), the words to search for, or the version',
        isOptional: true,
        isRepeated: true,
      },
    ],
    settings: 'store',
    needsStore: { unless: ['append', 'replace'] },
    identity: ['user', 'agent', 'account'],
    examples: [
      'longhand notes',
      'longhand notes search how long answers may be',
      'longhand notes append "## Tone" "Short answers."',
      'longhand notes restore 3',
    ],
    load: async () => (await import('./commands/notes.ts')).notes,
  },
  {
    name: 'journal',
    summary: 'List or search the journal and core of an agent',
    positionals: [
      {
        name: 'text',
        description: 'Only those that speak of it, best first',
        isOptional: true,
        isRepeated: true,
      },
    ],
    options: [
      {
        name: 'type',
        short: 't',
        value: 'type',
        description: 'Only journal, or only core',
        choices: ['journal', 'core'],
      },
      { name: 'limit', short: 'l', value: 'number', description: 'How many at the most (20)' },
    ],
    settings: 'store',
    needsStore: true,
    identity: ['user', 'agent', 'account'],
    examples: [
      'longhand journal',
      'longhand journal --type core --agent scout',
      'longhand journal deployment',
    ],
    load: async () => (await import('./commands/journal.ts')).journal,
  },
  {
    name: 'keys',
    summary: 'Make, list and revoke API keys',
    description:
      'For servers that ask for a key (auth.enabled). A token is shown once, when it is made; only a hash of it is kept.',
    positionals: [
      {
        name: 'action',
        description: 'list (default), create, revoke',
        isOptional: true,
        choices: ['list', 'create', 'revoke'],
      },
      { name: 'value', description: 'A label for create, the id for revoke', isOptional: true },
    ],
    options: [
      {
        name: 'access',
        value: 'access',
        description: 'What it may do (write)',
        choices: ['read', 'write', 'admin'],
      },
      { name: 'for-user', value: 'name', description: 'Speaks for this user only' },
      { name: 'for-agent', value: 'name', description: 'Speaks as this agent only' },
      { name: 'expires', value: 'time', description: 'When it ends, ISO 8601' },
    ],
    settings: 'store',
    needsStore: { unless: ['create'] },
    identity: [],
    examples: ['longhand keys create laptop --for-user ada', 'longhand keys revoke k3v9Q2xTb-7A'],
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'run',
    summary: 'Run a command, and keep what it prints',
    description:
      'The output is shown as it comes, kept whole as a detail, and named by a placeholder, [MemoryRef: key - …]: longhand show and the tools of an agent give it back. Ends with the exit code of the command. With --quiet only the line with the placeholder is printed, which is what a model needs; a short output is then printed as it is, and not kept.',
    positionals: [
      { name: 'command', description: 'The command and its arguments, behind --', isRepeated: true },
    ],
    options: [
      { name: 'quiet', short: 'q', description: 'Print the line for the model in place of the output' },
    ],
    settings: 'store',
    identity: WHOLE_IDENTITY,
    examples: ['longhand run -- npm test', 'longhand run --quiet -- git log --stat'],
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'completion',
    summary: 'Print completion for a shell',
    positionals: [{ name: 'shell', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    settings: 'none',
    identity: [],
    examples: [
      'longhand completion bash \\\n      > ~/.local/share/bash-completion/completions/longhand',
      'longhand completion zsh > ~/.zfunc/_longhand',
      'longhand completion fish > ~/.config/fish/completions/longhand.fish',
    ],
    load: async () => (await import('./commands/completion.ts')).completion,
  },
];
