import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { refuseLooseTokens } from './jwt-settings.ts';
import { fromJson, takesJson } from './mcp-servers.ts';
import { nearestOf } from './nearest-name.ts';
import { allows, databaseAddress } from './rules.ts';
import { ConfigError, isLoopback, type ServerConfig, withoutCredentials } from './server-config.ts';
import { SETTINGS, type Setting } from './settings.ts';

/**
 * The sources of settings, each overriding the one before: defaults, the configuration file, the environment, flags.
 * An unknown setting or an invalid value stops the server with an error: a setting that is silently ignored is
 * noticed too late.
 */
interface ConfigSources {
  /** By the name of the flag, without its dashes: `{ port: '4000', 'summary-enabled': true }`. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where `longhand.config.yaml` is looked for, and where relative folders begin. */
  readonly cwd?: string;
  /** The folder whose `.longhand` is the default store. The person's home when left out. */
  readonly home?: string;
}

/** Requests per minute. One person on their own machine needs no limit. */
const WITH_AUTH = 6_000;
/** Behind one address there may be an office. */
const KEYS_OF_ADDRESS = 10;

export const CONFIG_FILE = 'longhand.config.yaml';

/** @throws ConfigError naming the setting */
export function loadConfig({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
  home = homedir(),
}: ConfigSources = {}): ServerConfig {
  const values = new Map<string, unknown>();
  for (const { path, fallback } of SETTINGS) if (fallback !== undefined) values.set(path, fallback);
  addSource(values, (source) => readFile(source, fileOf(flags, env), cwd));
  addSource(values, (source) => {
    for (const each of SETTINGS) {
      const given = env[each.environment];
      // An empty variable is how a shell takes one away.
      if (given !== undefined && given !== '') put(source, each, fromText(each, given), each.environment);
    }
  });
  addSource(values, (source) => readFlags(source, flags));
  return complete(values, cwd, home);
}

/** A folder that a flag names goes over a database that the environment names, and the other way round. */
function addSource(values: Map<string, unknown>, read: (source: Map<string, unknown>) => void): void {
  const source = new Map<string, unknown>();
  read(source);
  if (source.has('storageRoot') && source.has('databaseUrl')) {
    throw new ConfigError(
      'storageRoot and databaseUrl are both named, and there is one store. Take one away.',
    );
  }
  if (source.has('storageRoot')) for (const path of OF_DATABASE) values.delete(path);
  if (source.has('databaseUrl')) values.delete('storageRoot');
  for (const [path, value] of source) values.set(path, value);
}

const OF_DATABASE = ['databaseUrl', 'databaseOwnerUrl', 'redisUrl'];

/** Which settings a flag can name; for the help page, and for the parser of the command line. */
export function flagsOfConfig(): readonly Setting[] {
  return SETTINGS;
}

function fileOf(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = flags.config ?? env.LONGHAND_CONFIG;
  return typeof named === 'string' && named !== '' ? named : undefined;
}

function readFile(values: Map<string, unknown>, named: string | undefined, cwd: string): void {
  const file = resolve(cwd, named ?? CONFIG_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && named === undefined) return;
    throw new ConfigError(`${file} cannot be read${isMissing ? ': it is not there' : ''}.`, { cause });
  }
  // Only who has a file pays for reading YAML: it is a good part of the start.
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw new ConfigError(`${file} is not valid YAML: ${(cause as Error).message}`, { cause });
  }
  if (content === null || content === undefined) return;
  takeSection(values, content, '', file);
}

function takeSection(values: Map<string, unknown>, section: unknown, prefix: string, file: string): void {
  if (typeof section !== 'object' || section === null || Array.isArray(section)) {
    throw new ConfigError(`${prefix === '' ? 'The file' : prefix} must hold settings (in ${file}).`);
  }
  for (const [key, value] of Object.entries(section)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const found = SETTINGS.find((each) => each.path === path);
    if (found !== undefined) {
      // A key that stands there without a value is as good as not there.
      if (value !== null) put(values, found, value, file);
    } else if (SETTINGS.some((each) => each.path.startsWith(`${path}.`))) {
      if (value !== null) takeSection(values, value, path, file);
    } else {
      throw new ConfigError(`There is no setting ${path} (in ${file}).${hintFor(path)}`);
    }
  }
}

/** The setting that was probably meant: mistyped, written as a flag or variable is, or put into another section. */
function hintFor(path: string): string {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');
  const sections = SETTINGS.flatMap((each) => each.path.split('.').slice(0, -1));
  const names = [...new Set([...SETTINGS.map((each) => each.path), ...sections])];
  const last = (name: string): string => plain(name.split('.').at(-1)!);
  const elsewhere = names.filter((name) => last(name) === last(path));
  const nearest = nearestOf(plain(path), names.map(plain));
  const meant =
    elsewhere.length === 1
      ? elsewhere[0]
      : names.find((name) => nearest !== undefined && plain(name) === nearest);
  return meant === undefined ? ' longhand help settings lists all.' : ` Did you mean ${meant}?`;
}

function readFlags(values: Map<string, unknown>, flags: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(flags)) {
    if (name === 'config' || value === undefined) continue;
    const found = SETTINGS.find((each) => each.flag === name);
    if (found === undefined) throw new ConfigError(`There is no flag --${name}.`);
    put(values, found, typeof value === 'string' ? fromText(found, value) : value, `--${name}`);
  }
}

function put(
  values: Map<string, unknown>,
  { path, type, isSecret }: Setting,
  value: unknown,
  source: string,
): void {
  const problem = type.problem(value);
  if (problem === undefined) {
    values.set(path, value);
    return;
  }
  const shown = isSecret === true || value === '' ? '' : `, not ${JSON.stringify(value)?.slice(0, 80)}`;
  throw new ConfigError(`${path} ${problem}${shown} (from ${source}).`);
}

/** Environment and flags know only texts: what the setting takes decides what they mean. */
function fromText({ type }: Setting, value: string): unknown {
  if (allows(type, value)) return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (takesJson(type)) return fromJson(value);
  if (allows(type, [])) return value.split(',').map((part) => part.trim());
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

function complete(values: Map<string, unknown>, cwd: string, home: string): ServerConfig {
  const config: Record<string, Record<string, unknown>> = {};
  for (const { path } of SETTINGS) {
    const [section, key] = path.split('.') as [string, string | undefined];
    if (key !== undefined) config[section] ??= {};
    const value = values.get(path);
    if (value === undefined) continue;
    if (key === undefined) (config as Record<string, unknown>)[section] = value;
    else config[section]![key] = value;
  }
  const resolved = config as unknown as ServerConfig;
  const storageRoot = folder(resolved.storageRoot ?? homeStore(home), cwd, home);
  const { openai, embedder, limits, auth } = resolved;
  const requestsPerMinute = limits.requestsPerMinute ?? (auth.enabled ? WITH_AUTH : 0);
  const complete: ServerConfig = {
    ...resolved,
    storageRoot,
    stateFolder: folder(resolved.stateFolder ?? stateFolderOf(resolved, storageRoot), cwd, home),
    limits: {
      ...limits,
      requestsPerMinute,
      requestsPerMinuteOfAddress: limits.requestsPerMinuteOfAddress ?? requestsPerMinute * KEYS_OF_ADDRESS,
    },
    openai: {
      ...openai,
      summaryBaseURL: openai.summaryBaseURL ?? openai.baseURL,
      ...(openai.summaryModel === undefined && openai.model !== undefined
        ? { summaryModel: openai.model }
        : {}),
      ...(openai.summaryApiKey === undefined &&
      openai.apiKey !== undefined &&
      isSameServer(openai.summaryBaseURL ?? openai.baseURL, openai.baseURL)
        ? { summaryApiKey: openai.apiKey }
        : {}),
    },
    embedder: {
      ...embedder,
      baseURL: embedder.baseURL ?? openai.baseURL,
      // A key is for the endpoint that it was given for, and goes to no other.
      ...(embedder.baseURL === undefined && embedder.apiKey === undefined && openai.apiKey !== undefined
        ? { apiKey: openai.apiKey }
        : {}),
    },
  };
  refuseContradictions(complete);
  return complete;
}

/**
 * The same settings for another store: a folder, or the address of a database.
 * @param option that names it @throws ConfigError
 */
export function configAt(config: ServerConfig, place: string, option: string): ServerConfig {
  const { databaseUrl: configured, databaseOwnerUrl, stateFolder, ...rest } = config;
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(place) ?? [];
  if (scheme === undefined || scheme === 'file') {
    const storageRoot = folder(place.replace(/^file:(\/\/)?/, ''), process.cwd(), homedir());
    return { ...rest, storageRoot, stateFolder: stateFolderOf({}, storageRoot) };
  }
  if (!allows(databaseAddress, place)) {
    throw new ConfigError(
      `${option} must be a folder, or an address like postgres://user:password@host:5432/database.`,
    );
  }
  const isConfigured =
    configured !== undefined && withoutCredentials(configured) === withoutCredentials(place);
  const isNamed = isConfigured || stateFolder !== stateFolderOf(config, config.storageRoot);
  const at = {
    databaseUrl: place,
    ...(isConfigured && databaseOwnerUrl !== undefined ? { databaseOwnerUrl } : {}),
  };
  return { ...rest, ...at, stateFolder: isNamed ? stateFolder : stateFolderOf(at, homeStore(homedir())) };
}

/** Each database has a folder of its own: what waits in it is for that database alone. */
function stateFolderOf({ databaseUrl }: Pick<ServerConfig, 'databaseUrl'>, storageRoot: string): string {
  if (databaseUrl === undefined) return join(storageRoot, 'server');
  const place = withoutCredentials(databaseUrl);
  const name = place
    .replace('postgres://', '')
    .replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    .slice(-64);
  return join(storageRoot, 'databases', `${name}-${crc32(place).toString(16)}`);
}

function homeStore(home: string): string {
  return join(home, '.longhand');
}

function isSameServer(left: string, right: string): boolean {
  return new URL(left).origin === new URL(right).origin;
}

function folder(path: string, cwd: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

function refuseContradictions(config: ServerConfig): void {
  const { host, auth, embedder, openai, anthropic, limits, summaryThreshold, summaryKeepLast } = config;
  if (config.databaseUrl === undefined && (config.databaseOwnerUrl ?? config.redisUrl) !== undefined) {
    throw new ConfigError(
      'databaseOwnerUrl and redisUrl need databaseUrl: they belong to a store in Postgres.',
    );
  }
  if (auth.accounts.length > 0 && (config.databaseUrl === undefined || !auth.enabled)) {
    throw new ConfigError('auth.accounts needs databaseUrl and auth.enabled.');
  }
  if (config.databaseUrl === undefined && config.writeBehind.spool === 'postgres') {
    throw new ConfigError('writeBehind.spool postgres needs databaseUrl.');
  }
  if (openai.model !== undefined && anthropic.model !== undefined) {
    throw new ConfigError(
      'openai.model and anthropic.model are both named, and only one of them can answer. Take one away, wherever it is set: file, environment or flag.',
    );
  }
  if (anthropic.model !== undefined && anthropic.apiKey === undefined) {
    throw new ConfigError('anthropic.model needs anthropic.apiKey.');
  }
  if (limits.headersSeconds > limits.requestSeconds) {
    throw new ConfigError(
      'limits.headersSeconds must not be above limits.requestSeconds: the headers are a part of the request.',
    );
  }
  if (embedder.model !== undefined && embedder.dimensions === undefined) {
    throw new ConfigError('embedder.model needs embedder.dimensions: how many numbers its vectors have.');
  }
  if (embedder.model !== undefined && embedder.onnxModel !== undefined) {
    throw new ConfigError('embedder.model and embedder.onnxModel are both named. Take one away.');
  }
  if (!isLoopback(host) && !auth.enabled) {
    throw new ConfigError(
      `host ${host} can be reached from other machines, and auth.enabled is off. Switch it on, or listen on 127.0.0.1.`,
    );
  }
  if (
    summaryThreshold !== undefined &&
    summaryKeepLast !== undefined &&
    summaryKeepLast >= summaryThreshold
  ) {
    throw new ConfigError('summaryKeepLast must be below summaryThreshold.');
  }
  refuseLooseTokens(config.jwt, config.auth.enabled);
}
