import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { CONFIG_FILE, loadConfig } from './load-config.ts';
import { allows } from './rules.ts';
import { ConfigError, type ServerConfig } from './server-config.ts';
import { defaultOf, SETTINGS, type Setting } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-config-'));
const file = join(folder, CONFIG_FILE);
afterAll(() => rmSync(folder, { recursive: true }));

function load(yaml: string, more: { env?: Record<string, string>; flags?: Record<string, unknown> } = {}) {
  writeFileSync(file, yaml);
  return loadConfig({ cwd: folder, home: '/home/ada', env: {}, ...more });
}

function valueAt(config: ServerConfig, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
}

function nested(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** A value that the setting takes, other than its default. */
const VALID: Readonly<Record<string, unknown>> = {
  'writeBehind.spool': 'postgres',
  'auth.accounts': ['acme'],
  host: 'localhost',
  port: 4_001,
  storageRoot: '/srv/memory',
  databaseUrl: 'postgres://ada:secret@db.example/memory',
  databaseOwnerUrl: 'postgresql://owner@db.example:5433/memory',
  redisUrl: 'rediss://cache.example',
  stateFolder: '/srv/state',
  durability: 'strict',
  timeZone: 'Europe/Berlin',
  'openai.baseURL': 'http://localhost:11434/v1',
  'openai.summaryBaseURL': 'http://localhost:11435/v1',
  'anthropic.baseURL': 'https://proxy.example/v1',
  'embedder.baseURL': 'http://localhost:11434/v1',
  allowedOrigins: ['http://localhost:5173', 'https://app.example'],
  allowedHosts: ['memory.example'],
  trustedProxies: ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32', '::1'],
  'agent.models': ['small', 'large'],
  'agent.mcpServers': {
    files: { command: 'npx', args: ['x'], agents: ['scout'] },
    web: { url: 'http://a/mcp' },
  },
  'jwt.jwksUrl': 'https://id.example/keys',
  'jwt.keys': { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] },
  'jwt.secret': 'a secret of more than thirty-two bytes',
  'jwt.algorithms': ['RS256', 'PS256'],
  'jwt.accountClaims': ['tenant'],
  'jwt.admits': 'members',
  'log.level': 'warn',
  'log.format': 'json',
  'context.sections': { notes: { floor: 0.1, ceiling: 0.3 } },
};

/** The threshold must stay above the number that is kept, a model of vectors must say how long they are, … */
const FOR_TOKENS = { auth: { enabled: true }, jwt: { issuer: 'https://id.example', audience: 'memory' } };
const WITH_KEYS = merged(FOR_TOKENS, { jwt: { jwksUrl: 'https://id.example/keys' } });
const NEEDED_BESIDE: Readonly<Record<string, object>> = {
  'anthropic.model': { anthropic: { apiKey: 'sk-ant' } },
  'limits.requestSeconds': { limits: { headersSeconds: 5 } },
  summaryKeepLast: { summaryThreshold: 50 },
  'embedder.model': { embedder: { dimensions: 3 } },
  'jwt.issuer': WITH_KEYS,
  'jwt.audience': WITH_KEYS,
  'jwt.algorithms': WITH_KEYS,
  'jwt.secret': FOR_TOKENS,
  'jwt.jwksUrl': FOR_TOKENS,
  'jwt.keys': FOR_TOKENS,
  databaseOwnerUrl: { databaseUrl: 'postgres://db.example/memory' },
  'auth.accounts': { databaseUrl: 'postgres://db.example/memory', auth: { enabled: true } },
  'writeBehind.spool': { databaseUrl: 'postgres://db.example/memory' },
  redisUrl: { databaseUrl: 'postgres://db.example/memory' },
};

function merged(left: Record<string, unknown> | object, right: object): object {
  const sections = { ...left } as Record<string, unknown>;
  for (const [key, value] of Object.entries(right)) {
    sections[key] =
      typeof value === 'object' && !Array.isArray(value) ? { ...(sections[key] as object), ...value } : value;
  }
  return sections;
}

function validFor({ path, type, fallback }: Setting): unknown {
  const candidates = [VALID[path], true, 7, 65, 'some-text'].filter((value) => value !== undefined);
  return candidates.find((value) => value !== fallback && allows(type, value));
}

describe.each(SETTINGS.map((setting): [string, Setting] => [setting.path, setting]))(
  '%s',
  (path, setting) => {
    const value = validFor(setting);
    const isObject = typeof value === 'object' && !Array.isArray(value);
    const text = Array.isArray(value) ? value.join(', ') : isObject ? JSON.stringify(value) : String(value);
    const more = NEEDED_BESIDE[path] ?? {};
    const beside = stringify(more);
    const inFile = stringify(merged(more, nested(path, value) as object));

    it('can be set in the file, in the environment and by a flag', () => {
      expect(value).toBeDefined();
      expect(valueAt(load(inFile), path)).toEqual(value);
      expect(valueAt(load(beside, { env: { [setting.environment]: text } }), path)).toEqual(value);
      expect(valueAt(load(beside, { flags: { [setting.flag]: text } }), path)).toEqual(value);
      expect(valueAt(load(beside, { flags: { [setting.flag]: value } }), path)).toEqual(value);
    });

    it('stops the start when it cannot be, and the message names it', () => {
      const wrong = [-1, '', {}, [7], Number.NaN, null].filter((one) => !allows(setting.type, one));
      expect(wrong.length).toBeGreaterThan(2);
      for (const one of wrong) {
        // In YAML, nothing is no value.
        if (one !== null)
          expect(() => load(stringify(nested(path, one)))).toThrow(new RegExp(`^${path} must`));
        expect(() => load('', { flags: { [setting.flag]: one } })).toThrow(new RegExp(`^${path} must .*--`));
      }
      for (const one of wrong)
        expect(() => load('', { flags: { [setting.flag]: one } })).toThrow(ConfigError);
    });

    it('is explained in config.yaml.example', () => {
      const example = readFileSync(new URL('../../config.yaml.example', import.meta.url), 'utf8');
      expect(example).toContain(setting.summary);
      expect(example).toContain(`# ${setting.environment}, --${setting.flag}`);
      expect(example).toMatch(new RegExp(`^ *# ${path.split('.').at(-1)}: `, 'm'));
      if (setting.type.choices !== undefined)
        expect(example).toMatch(new RegExp(`^ *# One of ${setting.type.choices.join(', ')}\\.$`, 'm'));
    });
  },
);

/** Where nothing holds unless it is set, or not the same everywhere. */
const ONLY_EXAMPLES = [
  ...['databaseUrl', 'databaseOwnerUrl', 'redisUrl', 'timeZone'],
  'agent.mcpServers',
  'context.sections',
  ...['openai.model', 'openai.apiKey', 'openai.summaryModel', 'openai.summaryApiKey'],
  ...['anthropic.model', 'anthropic.apiKey', 'embedder.model', 'embedder.dimensions', 'embedder.apiKey'],
  ...['embedder.onnxModel', 'embedder.queryPrefix', 'embedder.documentPrefix'],
  ...['jwt.issuer', 'jwt.audience', 'jwt.secret', 'jwt.jwksUrl', 'jwt.keys', 'jwt.algorithms'],
];

it('takes everything that config.yaml.example shows, which is what holds anyway', () => {
  const example = readFileSync(new URL('../../config.yaml.example', import.meta.url), 'utf8');
  const shown = example.replaceAll(/^( *)# (\w+: .*)$/gm, '$1$2');
  // It shows both stores, both models, of which only one can answer, and both embedders.
  expect(() => load(shown)).toThrow(/^storageRoot and databaseUrl are both named/);
  const inFolder = shown.replaceAll(/^(database|databaseOwner|redis)Url: .*$/gm, '$1Url:');
  expect(() => load(inFolder)).toThrow(/^openai.model and .* both named/);
  const oneModel = inFolder.replace('model: claude-sonnet-4-5', '');
  expect(() => load(oneModel)).toThrow(/embedder.model and embedder.onnxModel are both named/);
  const oneEmbedder = oneModel.replace(/onnxModel: .*/, '');
  expect(() => load(oneEmbedder)).toThrow(/jwt.secret and jwt.jwksUrl and jwt.keys are both named/);
  const config = load(
    oneEmbedder.replaceAll(/^ {2}(?:issuer|audience|secret|jwksUrl|keys|algorithms): .*/gm, ''),
  );
  const unset = load('');
  for (const setting of SETTINGS) {
    const { path } = setting;
    const value = valueAt(unset, path) ?? defaultOf(setting);
    expect(value === undefined, path).toBe(ONLY_EXAMPLES.includes(path));
    if (value !== undefined) expect(valueAt(config, path), path).toEqual(value);
  }
  expect(Object.keys(parse(shown))).toEqual([...new Set(SETTINGS.map(({ path }) => path.split('.')[0]!))]);
});

it.each([
  ['storgeRoot: x', 'storageRoot'],
  ['storage-root: x', 'storageRoot'],
  ['storage_root: x', 'storageRoot'],
  ['window: { maxMesages: 3 }', 'window.maxMessages'],
  ['windo: { maxMessages: 3 }', 'window'],
  ['maxTurns: 3', 'window.maxTurns'],
  ['openai: { apikey: x }', 'openai.apiKey'],
  ['log: { levle: debug }', 'log.level'],
])('says what %s was probably meant to be', (file, meant) => {
  expect(() => load(file)).toThrow(new RegExp(`There is no setting .* Did you mean ${meant}\\?$`));
});

it('says where the settings are when it has no idea what was meant', () => {
  expect(() => load('xyzzyPlugh: 1')).toThrow(/There is no setting xyzzyPlugh .*longhand help settings/);
});

describe('the order of the sources', () => {
  it('is defaults, file, environment, flags', () => {
    expect(load('').port).toBe(4_750);
    expect(load('port: 1').port).toBe(1);
    expect(load('port: 1', { env: { LONGHAND_PORT: '2' } }).port).toBe(2);
    expect(load('port: 1', { env: { LONGHAND_PORT: '2' }, flags: { port: '3' } }).port).toBe(3);
    expect(load('port: 1', { env: { LONGHAND_PORT: '' } }).port).toBe(1);
  });

  it('reads another file when one is named', () => {
    writeFileSync(join(folder, 'other.yaml'), 'port: 9');
    expect(load('port: 1', { flags: { config: 'other.yaml' } }).port).toBe(9);
    expect(load('port: 1', { env: { LONGHAND_CONFIG: 'other.yaml' } }).port).toBe(9);
    expect(() => load('', { flags: { config: 'missing.yaml' } })).toThrow(/missing.yaml cannot be read/);
  });

  it('lets summaries fall back to the model and its address', () => {
    const { openai } = load('openai: { model: big, baseURL: "http://localhost:1/v1" }');
    expect(openai).toMatchObject({ summaryModel: 'big', summaryBaseURL: 'http://localhost:1/v1' });
    const env = {
      OPENAI_MODEL: 'big',
      OPENAI_SUMMARY_MODEL: 'small',
      OPENAI_SUMMARY_URL: 'http://localhost:2/v1',
    };
    expect(load('', { env }).openai).toMatchObject({
      model: 'big',
      summaryModel: 'small',
      summaryBaseURL: 'http://localhost:2/v1',
    });
  });

  it('gives the key of the model to summaries of the same server, and to no other', () => {
    const keyed = (more: string) =>
      load(`openai: { baseURL: "http://a.example/v1", apiKey: sk-1${more} }`).openai;
    expect(keyed('').summaryApiKey).toBe('sk-1');
    expect(keyed(', summaryBaseURL: "http://a.example/v2"').summaryApiKey).toBe('sk-1');
    expect(keyed(', summaryBaseURL: "http://b.example/v1"')).not.toHaveProperty('summaryApiKey');
    const own = keyed(', summaryBaseURL: "http://b.example/v1", summaryApiKey: sk-2');
    expect(own.summaryApiKey).toBe('sk-2');
  });

  it('lets the embedder use the endpoint of the model, and gives a key to no other', () => {
    const openai = 'openai: { baseURL: "http://localhost:1/v1", apiKey: sk-1 }\n';
    const own = 'embedder: { model: small, dimensions: 3';
    expect(load(`${openai}${own} }`).embedder).toMatchObject({
      baseURL: 'http://localhost:1/v1',
      apiKey: 'sk-1',
    });
    const elsewhere = load(`${openai}${own}, baseURL: "http://localhost:2/v1" }`).embedder;
    expect(elsewhere.baseURL).toBe('http://localhost:2/v1');
    expect(elsewhere).not.toHaveProperty('apiKey');
    expect(() => load('embedder: { model: small }')).toThrow(/embedder.dimensions/);
  });

  it('puts folders where they belong', () => {
    expect(load('')).toMatchObject({
      storageRoot: '/home/ada/.longhand',
      stateFolder: '/home/ada/.longhand/server',
    });
    expect(load('storageRoot: ./here').storageRoot).toBe(join(folder, 'here'));
    expect(load('storageRoot: ~/there')).toMatchObject({
      storageRoot: '/home/ada/there',
      stateFolder: '/home/ada/there/server',
    });
  });

  it('names the store by the source that comes last', () => {
    const database = 'postgres://ada:secret@db.example/memory';
    const env = { LONGHAND_DATABASE_URL: database };
    expect(load('storageRoot: ./here', { env })).toMatchObject({
      databaseUrl: database,
      stateFolder: '/home/ada/.longhand/databases/db.example_memory-e3c55222',
    });
    const inFolder = load('', { env, flags: { 'storage-root': '/srv/memory' } });
    expect(inFolder).toMatchObject({ storageRoot: '/srv/memory', stateFolder: '/srv/memory/server' });
    expect(inFolder).not.toHaveProperty('databaseUrl');
    expect(() => load('', { flags: { 'database-url': database, 'storage-root': '/srv' } })).toThrow(
      /both named/,
    );
    expect(() => load('redisUrl: redis://cache')).toThrow(/databaseOwnerUrl and redisUrl need databaseUrl/);
  });
});

describe('an invalid setting', () => {
  it('is refused with its name', () => {
    expect(() => load('prot: 1')).toThrow(/There is no setting prot/);
    expect(() => load('window: { size: 1 }')).toThrow(/There is no setting window.size/);
    expect(() => load('window: 5')).toThrow(/window must hold settings/);
    expect(() => load('[1, 2]')).toThrow(/must hold settings/);
    expect(() => load('port: [')).toThrow(/is not valid YAML/);
    expect(() => load('', { flags: { prot: '1' } })).toThrow(/There is no flag --prot/);
    expect(() => load('summaryThreshold: 5\nsummaryKeepLast: 6')).toThrow(/summaryKeepLast/);
  });

  it('is a proxy that no address can be of', () => {
    const wrong = [
      'proxy.example',
      '10.0.0',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.1:80',
      '[::1]',
      'fe80::1%eth0',
      '/8',
    ];
    for (const proxy of [...wrong, '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', ' 10.0.0.1'])
      expect(() => load(stringify({ trustedProxies: ['10.0.0.1', proxy] })), proxy).toThrow(
        /^trustedProxies must be IP addresses or networks/,
      );
    expect(load('', { flags: { 'trusted-proxies': '10.0.0.1, 0.0.0.0/0' } }).trustedProxies).toHaveLength(2);
  });

  it('never shows a secret', () => {
    const error = (() => {
      try {
        load('openai: { apiKey: [sk-very-secret] }');
      } catch (caught) {
        return String(caught);
      }
      return '';
    })();
    expect(error).toContain('openai.apiKey must be a text');
    expect(error).not.toContain('sk-very-secret');
  });

  it('is an address that others can reach, without keys', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'memory.example', '127.0.0.1.example'])
      expect(() => load('', { flags: { host } })).toThrow(/auth.enabled/);
    for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '::1'])
      expect(load('', { flags: { host } }).host).toBe(host);
    expect(load('auth: { enabled: true }', { flags: { host: '0.0.0.0' } }).limits.requestsPerMinute).toBe(
      6_000,
    );
  });

  it('refuses settings that contradict one another, and names them', () => {
    expect(() => load('', { flags: { 'anthropic-model': 'claude' } })).toThrow(/anthropic.apiKey/);
    const env = { ANTHROPIC_MODEL: 'claude', ANTHROPIC_API_KEY: 'sk-ant' };
    expect(() => load('openai: { model: large }', { env })).toThrow(
      /^openai.model and anthropic.model are both named/,
    );
    expect(load('openai: { summaryModel: small }', { env })).toMatchObject({
      openai: { summaryModel: 'small' },
      anthropic: { model: 'claude' },
    });
    const limits = { 'limits-headers-seconds': 20, 'limits-request-seconds': 1 };
    expect(() => load('', { flags: limits })).toThrow(/limits.headersSeconds/);
  });
});
