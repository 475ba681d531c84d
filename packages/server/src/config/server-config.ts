import type { ContextRequest, Durability } from 'longhand';
import type { JwtSettings } from './jwt-settings.ts';
import type { McpServerSettings } from './mcp-servers.ts';

/**
 * How the server is set up: what `settings.ts` lists, with defaults filled in. What is left `undefined` is either
 * off (a model, a key) or decided by the store's own `config.json`.
 */
export interface ServerConfig {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** An absolute path. */
  readonly storageRoot: string;
  /** In place of the storage root. */
  readonly databaseUrl?: string;
  readonly databaseOwnerUrl?: string;
  readonly redisUrl?: string;
  /** An absolute path; `server` in the storage root unless it is named. */
  readonly stateFolder: string;
  readonly durability?: Durability;
  readonly timeZone?: string;
  readonly maxSessionSizeMb?: number;
  readonly summaryEnabled?: boolean;
  readonly summaryThreshold?: number;
  readonly summaryKeepLast?: number;
  readonly window: {
    readonly maxMessages?: number;
    readonly maxTurns?: number;
    readonly idleMinutes?: number;
  };
  readonly context: {
    readonly budgetTokens?: number;
    readonly standingTokens?: number;
    readonly sections?: ContextRequest['sections'];
  };
  readonly details: {
    readonly captureAboveTokens?: number;
    readonly quotaMb?: number;
    readonly expireAfterDays?: number;
  };
  readonly transcript: { readonly retainDays?: number };
  readonly retention: { readonly intervalMinutes?: number };
  readonly notes: { readonly keepVersions?: number; readonly maxKb?: number };
  /** In use when it has a model. */
  readonly openai: {
    readonly model?: string;
    readonly baseURL: string;
    readonly apiKey?: string;
    /** `model` unless it is named. */
    readonly summaryModel?: string;
    /** `baseURL` unless it is named. */
    readonly summaryBaseURL: string;
    /** `apiKey` unless it is named, and only for the server that it was given for. */
    readonly summaryApiKey?: string;
  };
  /** In use when it has a model; then `openai` has none. */
  readonly anthropic: { readonly model?: string; readonly baseURL?: string; readonly apiKey?: string };
  readonly semantic?: boolean;
  /** In use when it has a model, behind an endpoint or in a file. */
  readonly embedder: {
    readonly model?: string;
    readonly onnxModel?: string;
    readonly dimensions?: number;
    /** `openai.baseURL` unless it is named. */
    readonly baseURL: string;
    readonly apiKey?: string;
    readonly queryPrefix?: string;
    readonly documentPrefix?: string;
    readonly waitMs: number;
  };
  readonly agent: {
    readonly maxSteps: number;
    readonly timeoutSeconds: number;
    readonly models: readonly string[];
    readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  };
  readonly writeBehind: {
    readonly everyMessages: number;
    readonly everySeconds: number;
    readonly spool: 'local' | 'postgres';
  };
  readonly auth: {
    readonly enabled: boolean;
    /** The account that the server serves. */
    readonly account: string;
    /** Others that it serves from the same database. */
    readonly accounts: readonly string[];
    readonly sessionMinutes: number;
  };
  /** In use when it has a secret, an address of keys, or keys. */
  readonly jwt: JwtSettings;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Connections from there are told apart by what the proxy says of them. */
  readonly trustedProxies: readonly string[];
  readonly limits: {
    readonly bodyKb: number;
    /** 0: any number. Filled in by `loadConfig`. */
    readonly requestsPerMinute: number;
    /** Of all keys together. 0: any number. Filled in by `loadConfig`. */
    readonly requestsPerMinuteOfAddress: number;
    readonly failedLoginsPerMinute: number;
    readonly connections: number;
    readonly connectionsPerAddress: number;
    readonly unreadSeconds: number;
    readonly streamsPerKey: number;
    readonly headersSeconds: number;
    readonly requestSeconds: number;
    readonly shutdownSeconds: number;
    readonly openAccounts: number;
    readonly idempotencyKeys: number;
  };
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** `auto`: text where a person watches, else JSON. */
type LogFormat = 'auto' | 'json' | 'text';

/** Whether tokens of an identity provider are taken beside API keys. */
export function usesTokens({ jwt }: Pick<ServerConfig, 'jwt'>): boolean {
  return (jwt.secret ?? jwt.jwksUrl ?? jwt.keys) !== undefined;
}

/** Where the memory is kept, for people: a folder, or the address of a database without its credentials. */
export function placeOfStore({ storageRoot, databaseUrl }: ServerConfig): string {
  return databaseUrl === undefined ? storageRoot : withoutCredentials(databaseUrl);
}

/** The same as a field of an answer. */
export function storeField(config: ServerConfig): Readonly<Record<string, string>> {
  const name = config.databaseUrl === undefined ? 'storage_root' : 'database';
  return { [name]: placeOfStore(config) };
}

/** The host may also be a folder with a socket, which stands among the options. */
export function withoutCredentials(address: string): string {
  const { host, pathname, searchParams } = new URL(address);
  return `postgres://${host || (searchParams.get('host') ?? '')}${pathname}`;
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

export { ConfigError } from './config-error.ts';
