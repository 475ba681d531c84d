import type { Command, CommandOption, IdentityOption } from './command.ts';

/** All commands, in the order of the help page. Nothing here loads what a command needs to run. */

const MEMORY_TYPES = ['conversation', 'decision', 'finding', 'preference'];
const TEXT_TO_KEEP = {
  name: 'text',
  description: 'What to remember; - reads it from standard input',
  isRepeated: true,
};
const FACTS_TO_KEEP: readonly CommandOption[] = [
  {
    name: 'type',
    short: 't',
    value: 'type',
    description: 'preference, decision, finding (default), conversation, or your own word, such as goal',
    choices: MEMORY_TYPES,
    takesOthers: true,
  },
  { name: 'tag', value: 'tag', description: 'A tag; may be repeated', isRepeated: true },
  { name: 'importance', short: 'i', value: '0…1', description: 'How much it matters (0.5)' },
];
const WHOLE_IDENTITY: readonly IdentityOption[] = ['user', 'agent', 'session', 'account'];
/** Of a user, whichever of their agents wrote it. */
const OF_ALL_AGENTS: readonly IdentityOption[] = ['user', 'session', 'account'];
const OF_PRESENT_SESSIONS = { needsStore: true, identity: OF_ALL_AGENTS, sessionDefault: 'all' } as const;
/** Words that may be left out. */
const anyWords = (name: string, description: string) =>
  ({ name, description, isOptional: true, isRepeated: true }) as const;
const limit = (usual: number): CommandOption => ({
  name: 'limit',
  short: 'l',
  value: 'number',
  description: `At most so many (${usual})`,
});
const DRY_RUN: CommandOption = { name: 'dry-run', short: 'n', description: 'Only show what would happen' };
/** What narrows a list of memories. */
const NARROWING: readonly CommandOption[] = [
  {
    name: 'type',
    short: 't',
    value: 'type',
    description: 'Only these, or those of a word of your own, such as goal',
    choices: MEMORY_TYPES,
    takesOthers: true,
    isRepeated: true,
  },
  {
    name: 'tag',
    value: 'tag',
    description: 'With this tag or one under it; if several, all',
    isRepeated: true,
  },
  { name: 'any-tag', value: 'tag', description: 'The same; if several, one of them', isRepeated: true },
  { name: 'exclude-tag', value: 'tag', description: 'Without this tag, or one under it', isRepeated: true },
  { name: 'min-importance', value: '0…1', description: 'At least this important' },
  { name: 'within', short: 'w', value: 'time', description: 'A time in words: "last week", 24h, P7D' },
  { name: 'as-of', value: 'time', description: 'What was known then: yesterday, 2026-05-14' },
  { name: 'include-replaced', description: 'Include replaced memories' },
];
/** Of examples, at its full length: the beginning of one names nothing. */
const MEMORY_ID = 'mem_01M7HZGWF44X7J7G9MPRSJ4XW1';
const SOME_SESSIONS = anyWords('session', 'The sessions; all of yours when none is named');

export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Start the HTTP server',
    description:
      'Starts the server and prints its address. It accepts connections from this machine only, needs no account, and keeps everything in the storage folder. Ctrl-C stops it after everything is written.',
    settings: 'server',
    identity: [],
    examples: ['longhand serve', 'longhand serve --port 8080 --storage-root ./memory'],
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'mcp',
    summary: 'Serve an MCP client over standard input and output',
    description:
      'For the configuration of an MCP client. Several clients may use one folder at once. Standard output carries the protocol; messages go to standard error.',
    identity: WHOLE_IDENTITY,
    examples: ['longhand mcp', 'longhand mcp --storage-root ~/notes/memory --agent scout'],
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'connect',
    summary: 'Connect the MCP clients on this machine',
    description:
      'Adds Longhand to the configuration of the clients found here: Claude Code, Claude Desktop, Cursor. They then share one memory. Shows the change and asks first. The rest of the files stays as it is, comments included.',
    positionals: [
      {
        name: 'client',
        description: 'claude-code, claude-desktop or cursor; all that are found when left out',
        isOptional: true,
        isRepeated: true,
        choices: ['claude-code', 'claude-desktop', 'cursor'],
      },
    ],
    options: [
      DRY_RUN,
      { name: 'yes', short: 'y', description: 'Do not ask' },
      { name: 'undo', description: 'Restore the files, byte for byte' },
    ],
    identity: ['user', 'agent', 'account'],
    examples: ['longhand connect', 'longhand connect cursor --dry-run', 'longhand connect --undo --yes'],
    load: async () => (await import('./commands/connect.ts')).connect,
  },
  {
    name: 'chat',
    summary: 'Chat in the terminal, and see what is remembered',
    description:
      'Talks to the configured model, or to the built-in demo model when none is configured, and shows what is recalled, stored and forgotten. With a message it answers that one and ends.',
    positionals: [anyWords('message', 'One message: answer it and end')],
    settings: 'conversation',
    identity: WHOLE_IDENTITY,
    examples: ['longhand chat', 'longhand chat "What do you know about me?"'],
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  {
    name: 'remember',
    summary: 'Remember something, or confirm it',
    description:
      'Stores a memory in the session of the day. The same text again is confirmed, not stored twice. Similar memories are shown; --replaces takes one out of recall.',
    positionals: [TEXT_TO_KEEP],
    options: [
      ...FACTS_TO_KEEP,
      { name: 'replaces', value: 'id', description: 'A memory that is no longer true', isRepeated: true },
    ],
    identity: WHOLE_IDENTITY,
    examples: [
      'longhand remember "I live in Hamburg"',
      `longhand remember "Off to Lisbon" --replaces ${MEMORY_ID}`,
    ],
    load: async () => (await import('./commands/remember.ts')).remember,
  },
  {
    name: 'recall',
    summary: 'Recall memories about something, best first',
    positionals: [{ name: 'text', description: 'A question, or words', isRepeated: true }],
    options: [...NARROWING, limit(10)],
    needsStore: true,
    identity: ['user', 'account'],
    examples: ['longhand recall "Where do I live?"', 'longhand recall "my doctor" --include-replaced'],
    load: async () => (await import('./commands/recall.ts')).recall,
  },
  {
    name: 'add',
    summary: 'Add a memory',
    positionals: [TEXT_TO_KEEP],
    options: [
      ...FACTS_TO_KEEP,
      { name: 'reference', value: 'id', description: 'A related memory', isRepeated: true },
      { name: 'id', value: 'id', description: 'Its id; adding the same id again changes nothing' },
    ],
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
    positionals: [anyWords('text', 'Words, "phrases" and wild*cards; "*" lists the newest')],
    options: [
      ...NARROWING,
      { name: 'min-match', value: '0…1', description: 'Only with at least this match' },
      { name: 'duplicates', description: 'Show duplicates one by one' },
      limit(10),
      {
        name: 'sort',
        value: 'order',
        description: 'By relevance, match, time or importance (relevance)',
        choices: ['relevance', 'match', 'time', 'importance'],
      },
      { name: 'explain', short: 'e', description: 'Show the parts of each score' },
    ],
    ...OF_PRESENT_SESSIONS,
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
      'With --json the answer is one object with memories, and next_cursor when there may be more. With --json and --all it is one memory per line.',
    options: [...NARROWING, limit(20), { name: 'all', short: 'a', description: 'All of them' }],
    ...OF_PRESENT_SESSIONS,
    examples: ['longhand list --type preference', 'longhand list --session chat-1 --all'],
    load: async () => (await import('./commands/list.ts')).list,
  },
  {
    name: 'show',
    summary: 'Show a memory, a detail or a session',
    description:
      'A detail is a large text that is kept out of the prompt, behind a placeholder: [MemoryRef: key - …].',
    positionals: [
      { name: 'id', description: 'The id of a memory or session, or the key in [MemoryRef: key - …]' },
    ],
    options: [
      { name: 'page', value: 'number', description: 'Which page of a detail' },
      { name: 'lines', value: 'first-last', description: 'Which lines of a detail' },
      { name: 'search', value: 'text', description: 'Only lines of a detail that hold this' },
    ],
    ...OF_PRESENT_SESSIONS,
    examples: [`longhand show ${MEMORY_ID}`, 'longhand show command_output_7k2m9x4qpa --lines 40-60'],
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    name: 'edit',
    summary: 'Change a memory',
    description:
      'Changes only what is given; the id stays. The old text stays in the log until it is compacted; to erase it at once, use forget.',
    positionals: [
      { name: 'id', description: 'The id of the memory' },
      anyWords('text', 'The new text; - reads it from standard input'),
    ],
    options: [
      { name: 'type', short: 't', value: 'type', description: 'What it is', choices: MEMORY_TYPES },
      {
        name: 'tag',
        value: 'tag',
        description: 'A tag, in place of its old ones; may be repeated',
        isRepeated: true,
      },
      { name: 'clear-tags', description: 'Remove its tags' },
      { name: 'importance', short: 'i', value: '0…1', description: 'How much it matters' },
      {
        name: 'reference',
        value: 'id',
        description: 'A related memory, in place of the old ones',
        isRepeated: true,
      },
    ],
    ...OF_PRESENT_SESSIONS,
    examples: [
      `longhand edit ${MEMORY_ID} "The meeting is on Thursday"`,
      `longhand edit ${MEMORY_ID} --importance 0.9`,
    ],
    load: async () => (await import('./commands/edit.ts')).edit,
  },
  {
    name: 'forget',
    summary: 'Erase for good, from every file',
    description:
      'Erases memories, messages and details from every file, and keeps a receipt without their content. A message is erased with the memories made from it; other messages that repeat the same stay. --agent selects an agent: all that it wrote, for every user, or entries of its journal and core by their ids. A day counts as a whole; --dry-run shows the exact times. Asks first on a terminal; scripts need --yes.',
    positionals: [anyWords('id', 'Ids of memories, details and messages')],
    options: [
      { name: 'text', value: 'words', description: 'What holds these words, messages too' },
      { name: 'topic', value: 'tag', description: 'Everything with this tag, or one under it' },
      { name: 'from', value: 'time', description: 'Everything from this day or time on; needs --to' },
      {
        name: 'to',
        value: 'time',
        description: '… until this day, which is included, or time: yesterday, 2026-05-14',
      },
      { name: 'everything', description: 'All of the user, of --session, or of --agent' },
      { name: 'session', short: 's', value: 'id', description: 'Only of this session' },
      { name: 'agent', value: 'name', description: 'This agent, for every user' },
      { name: 'replay', value: 'file', description: 'After restoring a backup: what these receipts name' },
      DRY_RUN,
      { name: 'yes', short: 'y', description: 'Do not ask' },
    ],
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
    summary: 'Export all data of the user, or one session',
    description:
      'Without a session: all data of the user, one JSON object per line: sessions, memories, messages, summaries, details, notes, and the journal and core entries that belong to the user. With a session: json has its settings, its start and its memories, jsonl only the memories, one per line. import reads all of these.',
    options: [
      {
        name: 'format',
        short: 'f',
        value: 'format',
        description: 'Of one session (json)',
        choices: ['json', 'jsonl'],
      },
      { name: 'output', short: 'o', value: 'file', description: 'The file to write (standard output)' },
    ],
    ...OF_PRESENT_SESSIONS,
    examples: ['longhand export -o memory.jsonl', 'longhand export --session chat-1 --format jsonl'],
    load: async () => (await import('./commands/export.ts')).exportMemories,
  },
  {
    name: 'import',
    summary: 'Import memories from a file',
    description:
      'Reads what export writes, JSON lines or a JSON list of memories (content may be a plain text), answers of mem0, and the file of the MCP reference memory server. Memories keep their ids and times; an id that is there already is not imported again, and the answer says how many were new. When a session is full, the rest goes to the next one: chat--2 after chat. The whole file is checked first: an error names its line, and then nothing is imported. Unknown fields are refused; common fields of other programs, such as created_at, role and metadata, are mapped, and what cannot be kept is named.',
    positionals: [{ name: 'file', description: 'The file; - reads standard input' }],
    options: [DRY_RUN, { name: 'skip-deleted', description: 'Skip memories that were deleted here' }],
    identity: OF_ALL_AGENTS,
    sessionDefault: 'those of the file, else one for each day',
    examples: ['longhand import memory.jsonl', 'longhand import memory.json --session from-elsewhere'],
    load: async () => (await import('./commands/import.ts')).importMemories,
  },
  {
    name: 'compact',
    summary: 'Remove deleted memories from the files',
    positionals: [SOME_SESSIONS],
    options: [
      { name: 'drop-faded', description: 'Also drop memories that have decayed below 0.05' },
      DRY_RUN,
    ],
    ...OF_PRESENT_SESSIONS,
    examples: ['longhand compact', 'longhand compact chat-1 --drop-faded --dry-run'],
    load: async () => (await import('./commands/compact.ts')).compact,
  },
  {
    name: 'prune',
    summary: 'Remove messages and details past their retention',
    description:
      'Removes what is older than transcript.retainDays and details.expireAfterDays, from all sessions of all users. A server does this automatically; use this for a store without one, or --dry-run to see what would be removed. Exits with 4 when another process is pruning.',
    options: [DRY_RUN],
    needsStore: true,
    identity: ['account'],
    examples: ['longhand prune --dry-run', 'longhand prune --transcript-retain-days 90'],
    load: async () => (await import('./commands/prune.ts')).prune,
  },
  {
    name: 'reindex',
    summary: 'Rebuild index and metadata files from the logs',
    description:
      'Rebuilds all sessions of the user, or those that are named. Without names it also registers sessions of the user that were copied into the store by hand, and says how many.',
    positionals: [SOME_SESSIONS],
    ...OF_PRESENT_SESSIONS,
    examples: ['longhand reindex', 'longhand reindex chat-1'],
    load: async () => (await import('./commands/reindex.ts')).reindex,
  },
  {
    name: 'verify',
    summary: 'Check every line of every file',
    description:
      'Checks the whole store, of all users: every line of every log against its checksum, every detail against its digest, the search index, the spool and the API keys. Changes nothing. Exits with 1 when something is damaged, and says where.',
    needsStore: true,
    identity: ['account'],
    examples: ['longhand verify', 'longhand verify --json'],
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  {
    name: 'migrate',
    summary: 'Upgrade files to the current format, or copy to another store',
    description:
      'With --from and --to it copies everything between folders and Postgres databases: sessions, agents, notes, details, receipts, API keys, and messages that wait to be archived. A folder is copied with all its accounts, of a database the one that --account names. Tables that are missing are made, which needs the address of their owner. Indexes are rebuilt in the new store. The old store stays as it is. Stop every process that writes to it first; writes during the copy are reported. A copy that was interrupted goes on when the same command is run again.',
    options: [
      { name: 'schema', description: 'Upgrade every session to the current format' },
      { name: 'from', value: 'store', description: 'Copy from this folder, or database …' },
      {
        name: 'to',
        value: 'store',
        description: '… to this one, which must hold nothing else of the same names',
      },
    ],
    identity: ['account'],
    examples: [
      'longhand migrate --schema',
      'longhand migrate --from ./memory --to postgres://owner@localhost/memory',
      'longhand migrate --from postgres://owner@localhost/memory --to ./memory',
    ],
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  {
    name: 'stats',
    summary: 'Show counts, sizes and damage',
    positionals: [
      { name: 'session', description: 'One session; all of yours when left out', isOptional: true },
    ],
    ...OF_PRESENT_SESSIONS,
    examples: ['longhand stats', 'longhand stats chat-1'],
    load: async () => (await import('./commands/stats.ts')).stats,
  },
  {
    name: 'sessions',
    summary: 'List your sessions, newest first',
    positionals: [anyWords('text', 'Only those about this, best first')],
    options: [limit(20)],
    needsStore: true,
    identity: ['user', 'account'],
    examples: ['longhand sessions', 'longhand sessions deployment'],
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  {
    name: 'notes',
    summary: 'Read and change the notes of an agent about you',
    positionals: [
      {
        name: 'action',
        description: 'show (default), search, append, replace, history, diff, restore',
        isOptional: true,
        choices: ['show', 'search', 'append', 'replace', 'history', 'diff', 'restore'],
      },
      anyWords('value', 'The text (- reads standard input), the words to search for, or the version'),
    ],
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
    positionals: [anyWords('text', 'Only those about this, best first')],
    options: [
      {
        name: 'type',
        short: 't',
        value: 'type',
        description: 'Only journal, or only core',
        choices: ['journal', 'core'],
      },
      limit(20),
    ],
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
    summary: 'Create, list and revoke API keys, end all sessions of browsers',
    description:
      'For servers with auth.enabled. A token is shown once, when it is created; only its hash is stored.',
    positionals: [
      {
        name: 'action',
        description: 'list (default), create, revoke, end-sessions',
        isOptional: true,
        choices: ['list', 'create', 'revoke', 'end-sessions'],
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
      { name: 'for-user', value: 'name', description: 'For this user only' },
      { name: 'for-agent', value: 'name', description: 'For this agent only' },
      { name: 'expires', value: 'time', description: 'When it expires, ISO 8601' },
    ],
    needsStore: { unless: ['create'] },
    identity: ['account'],
    examples: ['longhand keys create laptop --for-user ada', 'longhand keys revoke k3v9Q2xTb-7A'],
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'run',
    summary: 'Run a command, and store its output',
    description:
      'Shows the output, stores it whole as a detail, and prints its placeholder, [MemoryRef: key - …], with which longhand show and the tools of an agent read it. Exits with the exit code of the command. With --quiet, for a model, a long output is not shown, only its placeholder; a short output is shown and not stored.',
    positionals: [
      { name: 'command', description: 'The command and its arguments, after --', isRepeated: true },
    ],
    options: [{ name: 'quiet', short: 'q', description: 'Print the placeholder in place of a long output' }],
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
