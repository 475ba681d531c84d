import { DEFAULT_CONFIG } from 'longhand';
import { JWT_ALGORITHMS, publicKeySet } from './jwt-settings.ts';
import { mcpServers } from './mcp-servers.ts';
import {
  address,
  calling,
  databaseAddress,
  flag,
  list,
  network,
  number,
  oneOf,
  origin,
  type Rule,
  redisAddress,
  shares,
  text,
  timeZone,
  whole,
} from './rules.ts';

/**
 * Every setting of the server, once: where it stands in the configuration file, what it may hold, and what it is
 * for. The names of environment variables and flags are made from the place, so that a setting cannot be missing
 * in one of them. A setting without a default leaves the matter to the library, or switches something off.
 */
export interface Setting {
  /** `window.maxMessages`. */
  readonly path: string;
  /** `LONGHAND_WINDOW_MAX_MESSAGES`, or a name that others have made known: `OPENAI_API_KEY`. */
  readonly environment: string;
  /** `window-max-messages`, given as `--window-max-messages=20`. */
  readonly flag: string;
  readonly type: Rule;
  readonly fallback?: unknown;
  /** Which key of the store's own `config.json` it goes over: `storage.durability`. The store decides when it is not set. */
  readonly storeKey?: string;
  /** Whether something else holds on a server than for one person at their machine, when it is not set; the summary says what. */
  readonly variesByUse?: boolean;
  /** For people, one line. */
  readonly summary: string;
  /** Never shown. */
  readonly isSecret?: boolean;
  /** What people often set, and for what: for a conversation, wherever it is held, or for a server alone. */
  readonly oftenSetFor?: 'conversation' | 'server';
}

/** Settings that belong together. */
interface SettingSection {
  readonly title: string;
  readonly settings: readonly Setting[];
}

type SettingParts = Partial<
  Pick<Setting, 'fallback' | 'storeKey' | 'variesByUse' | 'environment' | 'isSecret' | 'oftenSetFor'>
>;

const words = (path: string): string[] =>
  path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1.$2')
    .toLowerCase()
    .split('.');

function setting(path: string, type: Rule, summary: string, parts: SettingParts = {}): Setting {
  const name = words(path);
  return {
    path,
    type,
    summary,
    flag: name.join('-'),
    environment: `LONGHAND_${name.join('_').toUpperCase()}`,
    ...parts,
  };
}

/** Longer than any user keeps things; keeps times finite. */
const MAX_DAYS = 36_500;

/** All of them, in the order of the help page and of the example file. */
export const SETTING_SECTIONS: readonly SettingSection[] = [
  {
    title: 'Address',
    settings: [
      setting(
        'host',
        calling('host', text),
        'The address to listen on. Beyond this machine it needs auth.enabled.',
        { fallback: '127.0.0.1', oftenSetFor: 'server' },
      ),
      setting('port', whole(0, 65_535), 'The port to listen on; 0 takes a free one.', {
        fallback: 4750,
        oftenSetFor: 'server',
      }),
    ],
  },
  {
    title: 'Store',
    settings: [
      setting('storageRoot', calling('folder', text), 'The folder of the store. ~/.longhand when left out.', {
        oftenSetFor: 'conversation',
      }),
      setting('databaseUrl', databaseAddress, 'A Postgres database in place of the folder.', {
        isSecret: true,
        oftenSetFor: 'conversation',
      }),
      setting(
        'databaseOwnerUrl',
        databaseAddress,
        'The same database for the role that owns the tables, which makes and upgrades them when the server starts. databaseUrl when left out.',
        { isSecret: true },
      ),
      setting(
        'redisUrl',
        redisAddress,
        'Redis or Valkey, shared by several servers on one database: redis://host:6379.',
        { isSecret: true },
      ),
      setting(
        'stateFolder',
        text,
        'Where the server keeps its own files: API keys and the spool. server in the storage root when left out; with a database, a folder in ~/.longhand. The same for all that serve or forget in one storage root.',
      ),
      setting(
        'durability',
        oneOf('buffered', 'group', 'strict'),
        'When a write counts as done: written to the system, or synced to the disk too, many writes at once or each.',
        { storeKey: 'storage.durability' },
      ),
      setting(
        'timeZone',
        timeZone,
        'Where today and last Monday begin and end. When left out: UTC on a server, that of the machine (system) at the command line and over stdio.',
        { storeKey: 'time_zone', variesByUse: true },
      ),
      setting('semantic', flag, 'Find by meaning too, with word vectors or the embedder that is named.', {
        storeKey: 'semantic',
      }),
      setting('maxSessionSizeMb', number(0.01, 100_000), 'The most that a session may hold.', {
        storeKey: 'storage.max_session_size_mb',
      }),
    ],
  },
  {
    title: 'Conversation and context',
    settings: [
      setting('summaryEnabled', flag, 'Fold older messages of a conversation into a summary.', {
        storeKey: 'summary.enabled',
        oftenSetFor: 'conversation',
      }),
      setting('summaryThreshold', whole(1, 100_000), 'More unsummarised messages than this are folded in.', {
        storeKey: 'summary.threshold',
      }),
      setting('summaryKeepLast', whole(0, 100_000), 'As many of the newest messages stay as they are.', {
        storeKey: 'summary.keep_last',
      }),
      setting('window.maxMessages', whole(1, 10_000), 'How many of the last messages are held ready.', {
        storeKey: 'window.max_messages',
      }),
      setting('window.maxTurns', whole(0, 10_000), 'Turns in place of messages, when above 0.', {
        storeKey: 'window.max_turns',
      }),
      setting('window.idleMinutes', number(0.01, 525_600), 'When an idle conversation leaves the cache.', {
        storeKey: 'window.idle_minutes',
      }),
      setting('context.budgetTokens', whole(64, 10_000_000), 'What a prompt may cost, at the most.', {
        storeKey: 'context.budget_tokens',
        oftenSetFor: 'conversation',
      }),
      setting(
        'context.standingTokens',
        whole(0, 10_000_000),
        'What preferences, decisions and findings that stand in every prompt may cost, at the most.',
        { storeKey: 'context.standing_tokens' },
      ),
      setting(
        'context.sections',
        shares,
        'Floors and ceilings of sections in a full prompt, as JSON: {"notes":{"floor":0.1,"ceiling":0.3}}.',
        { storeKey: 'context.sections' },
      ),
    ],
  },
  {
    title: 'Details, transcripts and notes',
    settings: [
      setting('details.captureAboveTokens', whole(1, 1_000_000), 'Longer tool output is kept as a detail.', {
        storeKey: 'details.capture_above_tokens',
      }),
      setting(
        'details.quotaMb',
        number(0.01, 1_000_000),
        'The most that the details of a session may hold.',
        { storeKey: 'details.quota_mb' },
      ),
      setting('details.expireAfterDays', number(0, MAX_DAYS), 'When details go; 0: never.', {
        storeKey: 'details.expire_after_days',
      }),
      setting('transcript.retainDays', number(0, MAX_DAYS), 'How long messages are kept; 0: for ever.', {
        storeKey: 'transcript.retain_days',
      }),
      setting(
        'retention.intervalMinutes',
        number(0, 525_600),
        'How often messages and details past their retention are removed; 0: only by longhand prune.',
        { storeKey: 'retention.interval_minutes' },
      ),
      setting('notes.keepVersions', whole(1, 100_000), 'How many versions of notes are kept.', {
        storeKey: 'notes.keep_versions',
      }),
      setting('notes.maxKb', number(1, 10_240), 'The longest that notes may become.', {
        storeKey: 'notes.max_kb',
      }),
    ],
  },
  {
    title: 'Models',
    settings: [
      setting(
        'openai.model',
        calling('name', text),
        'The model of an OpenAI-compatible endpoint. Naming it switches it on.',
        { environment: 'OPENAI_MODEL', oftenSetFor: 'conversation' },
      ),
      setting('openai.baseURL', address, 'Where that endpoint is.', {
        environment: 'OPENAI_BASE_URL',
        fallback: 'https://api.openai.com/v1',
        oftenSetFor: 'conversation',
      }),
      setting('openai.apiKey', calling('key', text), 'The key for it.', {
        environment: 'OPENAI_API_KEY',
        isSecret: true,
        oftenSetFor: 'conversation',
      }),
      setting(
        'openai.summaryModel',
        calling('name', text),
        'Another model for summaries; openai.model when left out.',
        { environment: 'OPENAI_SUMMARY_MODEL' },
      ),
      setting('openai.summaryBaseURL', address, 'Another endpoint for them; openai.baseURL when left out.', {
        environment: 'OPENAI_SUMMARY_URL',
      }),
      setting(
        'openai.summaryApiKey',
        calling('key', text),
        'The key for it; openai.apiKey when it is on the same server.',
        { environment: 'OPENAI_SUMMARY_API_KEY', isSecret: true },
      ),
      setting(
        'anthropic.model',
        calling('name', text),
        'A model of Anthropic, in place of openai.model. Naming it switches it on.',
        { environment: 'ANTHROPIC_MODEL', oftenSetFor: 'conversation' },
      ),
      setting('anthropic.baseURL', address, 'Where Anthropic is.', {
        environment: 'ANTHROPIC_BASE_URL',
        fallback: 'https://api.anthropic.com/v1',
      }),
      setting('anthropic.apiKey', calling('key', text), 'The key for it.', {
        environment: 'ANTHROPIC_API_KEY',
        isSecret: true,
        oftenSetFor: 'conversation',
      }),
    ],
  },
  {
    title: 'Embedder',
    settings: [
      setting(
        'embedder.model',
        calling('name', text),
        'A model behind an endpoint that finds memories by meaning, in place of word vectors. Naming it switches it on.',
      ),
      setting('embedder.dimensions', whole(1, 8_192), 'How many numbers its vectors have. Needed with it.'),
      setting(
        'embedder.onnxModel',
        calling('file', text),
        'The same as a file, model.onnx, run in this process by onnxruntime-node, with its vocab.txt in the same folder.',
      ),
      setting(
        'embedder.baseURL',
        address,
        'Where its OpenAI-compatible endpoint is; openai.baseURL when left out.',
      ),
      setting(
        'embedder.apiKey',
        calling('key', text),
        'The key for it; openai.apiKey when embedder.baseURL is left out.',
        { isSecret: true },
      ),
      setting('embedder.queryPrefix', text, 'Put before questions, for models that want it.'),
      setting('embedder.documentPrefix', text, 'Put before memories, for models that want it.'),
      setting(
        'embedder.waitMs',
        whole(0, 60_000),
        'How long a search waits for it before words alone answer.',
        { fallback: 1_000 },
      ),
    ],
  },
  {
    title: 'Answers',
    settings: [
      setting('agent.maxSteps', whole(1, 100), 'How often an answer may call tools before it must end.', {
        fallback: 8,
      }),
      setting('agent.timeoutSeconds', number(1, 3_600), 'How long a model may take for an answer.', {
        fallback: 120,
      }),
      setting(
        'agent.models',
        list(calling('name', text)),
        'More models of the same provider that people may choose for an agent.',
        { fallback: [] },
      ),
      setting(
        'agent.mcpServers',
        mcpServers,
        'MCP servers whose tools agents may use, by name: {command, args, env, cwd} or {url, headers}; agents names those that may.',
        // Their environments and headers hold keys.
        { isSecret: true },
      ),
      setting(
        'writeBehind.everyMessages',
        whole(1, 10_000),
        'Messages after which a transcript is written.',
        { fallback: 40 },
      ),
      setting('writeBehind.everySeconds', number(0.1, 86_400), 'Seconds after which it is written.', {
        fallback: 600,
      }),
      setting(
        'writeBehind.spool',
        oneOf('local', 'postgres'),
        'Where the messages of a turn are before that: local, on the disk of this server, without a write to the database; or postgres, which writes the transcript with every turn.',
        { fallback: 'local' },
      ),
    ],
  },
  {
    title: 'Access',
    settings: [
      setting('auth.enabled', flag, 'Ask every caller for an API key.', {
        fallback: false,
        oftenSetFor: 'server',
      }),
      setting(
        'auth.account',
        calling('name', text),
        'The account of this server: tokens must name it, and a database keeps accounts apart by it.',
        { fallback: 'local' },
      ),
      setting(
        'auth.accounts',
        list(calling('name', text)),
        'Other accounts that this server serves from the same database: tokens name them, and callers with API keys in the header longhand-account. * for every account.',
        { fallback: [] },
      ),
      setting(
        'auth.sessionMinutes',
        number(1, 720),
        'How long a browser stays signed in without asking again.',
        { fallback: 60 },
      ),
      setting('allowedOrigins', list(origin), 'Web apps on other origins that may call this server.', {
        fallback: [],
      }),
      setting(
        'allowedHosts',
        list(calling('name', text)),
        'Names under which this server is reached, beside its address.',
        { fallback: [] },
      ),
      setting(
        'trustedProxies',
        list(network),
        'Addresses or networks of proxies whose X-Forwarded-For tells who calls.',
        { fallback: [] },
      ),
    ],
  },
  {
    title: 'Tokens of an identity provider',
    settings: [
      setting('jwt.issuer', text, 'Who makes the tokens, as their iss says. Needed with the next ones.'),
      setting(
        'jwt.audience',
        text,
        'For whom they are made, as their aud says. With Supabase: authenticated.',
      ),
      setting('jwt.secret', calling('secret', text), 'The secret that signs them, with HS algorithms.', {
        isSecret: true,
      }),
      setting('jwt.jwksUrl', address, 'In place of it, where the public keys are.'),
      setting('jwt.keys', publicKeySet, 'In place of it, the public keys: {"keys":[…]}.'),
      setting(
        'jwt.algorithms',
        list(calling('algorithm', oneOf(...JWT_ALGORITHMS))),
        'Which algorithms are taken. HS256 with a secret, else RS256, ES256 and EdDSA, when left out.',
      ),
      setting(
        'jwt.accountClaims',
        list(calling('claim', text)),
        'Where a token names its account; the first that is there counts.',
        { fallback: ['account_id', 'app_metadata.account_id'] },
      ),
      setting(
        'jwt.admits',
        oneOf('account', 'members'),
        'Who is let in: every user whose token names the account, or those in the list of members alone.',
        { fallback: 'account' },
      ),
    ],
  },
  {
    title: 'Limits',
    settings: [
      setting('limits.bodyKb', whole(1, 1_048_576), 'The longest request body or MCP message.', {
        fallback: 8_192,
      }),
      setting(
        'limits.requestsPerMinute',
        whole(0, 10_000_000),
        'Requests of one API key or address; 0: any. 6000 with auth.enabled, else 0, when left out.',
      ),
      setting(
        'limits.requestsPerMinuteOfAddress',
        whole(0, 100_000_000),
        'Requests of all API keys of one address; 0: any. Ten times requestsPerMinute when left out.',
      ),
      setting('limits.failedLoginsPerMinute', whole(1, 10_000), 'Wrong API keys from one address.', {
        fallback: 20,
      }),
      setting('limits.connections', whole(1, 100_000), 'Connections at one time.', { fallback: 1_024 }),
      setting(
        'limits.connectionsPerAddress',
        whole(1, 100_000),
        'Of these, from one address; trusted proxies may hold all.',
        { fallback: 256 },
      ),
      setting('limits.unreadSeconds', number(0.1, 3_600), 'How long a client may leave an answer unread.', {
        fallback: 20,
      }),
      setting(
        'limits.streamsPerKey',
        whole(1, 100_000),
        'Feeds of /api/events, and listeners of /mcp, of one key.',
        { fallback: 64 },
      ),
      setting('limits.headersSeconds', number(0.1, 600), 'How long a client may take to send its headers.', {
        fallback: 10,
      }),
      setting('limits.requestSeconds', number(0.1, 3_600), 'How long it may take to send a whole request.', {
        fallback: 30,
      }),
      setting(
        'limits.shutdownSeconds',
        number(0, 3_600),
        'How long requests, answers and archiving may take when the server ends.',
        // Less than the ten seconds after which Docker kills.
        { fallback: 8 },
      ),
      setting('limits.openAccounts', whole(1, 10_000), 'Accounts of auth.accounts held open at one time.', {
        fallback: 32,
      }),
      setting('limits.idempotencyKeys', whole(1, 1_000_000), 'Answers kept for repeated requests.', {
        fallback: 10_000,
      }),
    ],
  },
  {
    title: 'Log',
    settings: [
      setting(
        'log.level',
        oneOf('debug', 'info', 'warn', 'error', 'silent'),
        'What is worth a line in the log.',
        { fallback: 'info', oftenSetFor: 'server' },
      ),
      setting('log.format', oneOf('auto', 'json', 'text'), 'How; auto: text on a terminal, JSON elsewhere.', {
        fallback: 'auto',
      }),
    ],
  },
];

export const SETTINGS: readonly Setting[] = SETTING_SECTIONS.flatMap(({ settings }) => settings);

/** What holds where it is not set: here, or in a store whose `config.json` says nothing. `undefined`: nothing does everywhere. */
export function defaultOf({ fallback, storeKey, variesByUse = false }: Setting): unknown {
  if (fallback !== undefined || storeKey === undefined || variesByUse) return fallback;
  return storeKey
    .split('.')
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)[key], DEFAULT_CONFIG);
}
