import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, runJson, spawnCli } from '../../test/run-cli.ts';
import { managerOf, SUPPORTS } from '../../test/store-place.ts';
import { AccountFiles } from '../access/account-files.ts';
import { ApiKeys } from '../access/api-keys.ts';
import { allows } from '../config/rules.ts';
import { defaultOf, SETTING_SECTIONS, SETTINGS } from '../config/settings.ts';
import { renderLine } from '../conversation/spool-file.ts';
import { VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';
import { completionFor } from './completion.ts';
import { HELP_COMMAND } from './help.ts';
import { meaningfulOptionsOf, optionsOf } from './parse-command-line.ts';

let folder: string;
let store: readonly string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-cli-'));
  store = ['--storage-root', join(folder, 'store')];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Found {
  readonly memories: readonly { readonly id: string; readonly content: { readonly text: string } }[];
}

async function add(text: string, ...options: readonly string[]): Promise<{ id: string; session_id: string }> {
  return runJson('add', text, ...options, ...store);
}

/** Whether the command, if it is one, has settings. */
function takesStore([name]: readonly string[]): boolean {
  return COMMANDS.some((command) => command.name === name && command.settings !== 'none');
}

async function texts(...query: readonly string[]): Promise<readonly string[]> {
  return (await runJson<Found>('search', ...query, ...store)).memories.map(({ content }) => content.text);
}

const ALL_COMMANDS = [...COMMANDS, HELP_COMMAND];

describe('the table of commands', () => {
  it('has every command of the design', () => {
    const wanted =
      'serve mcp chat remember recall add search list show forget export import compact reindex verify migrate stats sessions notes';
    const names = COMMANDS.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(wanted.split(' ')));
    expect(new Set(names).size).toBe(names.length);
  });

  for (const command of COMMANDS) {
    it(`has a help page for ${command.name}`, async () => {
      const { exitCode, stdout, stderr } = await runCli(command.name, '--help');
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain(`longhand ${command.name}`);
      for (const { name, description } of command.options ?? []) {
        expect(stdout).toContain(`--${name}`);
        expect(stdout.replaceAll(/\s+/g, ' ')).toContain(description);
      }
      const lines = stdout.split('\n');
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
      expect(lines.length, 'more than a screen').toBeLessThan(47);
      expect(stdout, 'these are details').not.toMatch(/kept value|large value|tool output/);
      expect((await runCli('help', command.name)).stdout).toBe(stdout);
    });

    it(`shows ids of memories of ${command.name} as they are: a part of one names nothing`, async () => {
      for (const [id] of command.examples.join('\n').matchAll(/\bmem_\w*/g))
        expect(id).toMatch(/^mem_[0-9A-HJKMNP-TV-Z]{26}$/);
    });

    it(`loads ${command.name}`, async () => {
      expect(await command.load()).toBeTypeOf('function');
    });

    it(`uses every option of ${command.name} once`, () => {
      const names = optionsOf(command).flatMap(({ name, short }) =>
        short === undefined ? [name] : [name, short],
      );
      expect(new Set(names).size).toBe(names.length);
    });
  }
});

it('says which sessions are meant when none is named', async () => {
  const defaults: Record<string, string | undefined> = {};
  for (const { name } of COMMANDS)
    defaults[name] = /--session <id> +Which session \((.*)\)/.exec(
      (await runCli(name, '--help')).stdout,
    )?.[1];
  const eachDay = COMMANDS.filter(({ name }) => defaults[name] === 'one for each day');
  expect(eachDay.map(({ name }) => name)).toEqual(['mcp', 'chat', 'remember', 'add', 'run']);
  expect(defaults).toMatchObject({
    search: 'all',
    show: 'all',
    stats: 'all',
    export: 'all',
    sessions: undefined,
  });
});

it.runIf(SUPPORTS.folder)(
  'takes --root as short for --storage-root, and not from the command that it runs',
  async () => {
    const [, root = ''] = store;
    expect((await runCli('remember', 'My dog is called Rex', '--root', root)).exitCode).toBe(0);
    expect((await runCli('recall', 'dog', `--root=${root}`)).stdout).toContain('Rex');
    expect((await runCli('run', ...store, '--', 'echo', '--root')).stdout).toBe('--root\n');
  },
);

describe('remembering and recalling', () => {
  interface Remembered {
    readonly id: string;
    readonly confirmed: boolean;
    readonly similar: readonly { readonly id: string }[];
  }
  const remember = (...args: readonly string[]): Promise<Remembered> =>
    runJson('remember', ...args, ...store);
  const recalled = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await runJson<Found>('recall', ...args, ...store)).memories.map(({ content }) => content.text);

  it('confirms, names what is close, and replaces', async () => {
    const { id, confirmed } = await remember('I live in Hamburg', '--tag', 'home');
    expect(confirmed).toBe(false);
    expect(await remember(' I live in Hamburg ')).toMatchObject({ id, confirmed: true, similar: [] });
    const shown = await runCli('remember', 'Do I still live in Hamburg?', ...store);
    expect(shown.stdout).toContain('Remembered mem_');
    expect(shown.stderr).toContain(`${id}  I live in Hamburg`);
    await remember('We live in Lisbon now', '--replaces', id);
    expect((await recalled('Where do we live?'))[0]).toBe('We live in Lisbon now');
    expect((await recalled(''))[0]).toBe('We live in Lisbon now');
    expect(await recalled('Where do we live?')).not.toContain('I live in Hamburg');
    expect(await recalled('Where do we live?', '--include-replaced')).toContain('I live in Hamburg');
    expect((await runCli('recall', 'Where do we live?', ...store)).stdout).toContain(
      '1. We live in Lisbon now',
    );
  });

  it('takes a word of your own for a type, and its help names the types', async () => {
    for (const verb of ['remember', 'add']) {
      await runCli(verb, `Run a marathon (${verb})`, '--type', 'goal', '--tag', 'sport', ...store);
      await runCli(verb, `Short answers (${verb})`, '-t', 'user_preference', ...store);
      expect((await runCli(verb, 'x', '--type', 'journal', ...store)).exitCode).toBe(2);
      expect((await runCli(verb, '--help')).stdout).toMatch(/preference, decision, finding \(default\)/);
    }
    const { memories } = await runJson<{ memories: readonly { type: string; tags: string[] }[] }>(
      ...['list', ...store],
    );
    expect(memories.map(({ type, tags }) => [type, ...tags].join(' ')).sort()).toEqual([
      ...['finding sport kind.goal', 'finding sport kind.goal', 'preference', 'preference'],
    ]);
  });

  it('counts what is replaced', async () => {
    const { id } = await remember('I live in Hamburg');
    expect((await runCli('stats', ...store)).stdout).not.toContain('replaced');
    await remember('I live in Lisbon', '--replaces', id);
    expect((await runCli('stats', ...store)).stdout).toContain('2, 1 of them replaced');
    expect(await runJson('stats', ...store)).toMatchObject({ memories: 2, replaced: 1 });
  });

  it.runIf(SUPPORTS.folder)('says where no folder can be', async () => {
    const nowhere = await runCli('recall', 'x', '--storage-root', '/proc/nope');
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([5, expect.stringContaining('There is no store in')]);
    expect((await runCli('remember', 'x', '--storage-root', '/proc/nope')).stderr).toContain(
      'no folder can be made there',
    );
  });

  it('says what is wrong', async () => {
    await remember('I live in Hamburg');
    expect((await runCli('sessions', 'whales', ...store)).stderr).toContain('matches "whales"');
    expect((await runCli('recall', 'whales', ...store)).stderr).toContain('Nothing found.');
    expect((await runCli('recall', ' ', ...store)).exitCode).toBe(0);
    expect((await runCli('remember', ' ', ...store)).stderr).toContain('nothing to remember');
    const { exitCode, stderr } = await runCli('remember', 'x', '--replaces', 'mem_none', ...store);
    expect(stderr).toContain('There is no memory mem_none of this user');
    expect(exitCode).not.toBe(0);
  });
});

describe('the settings', () => {
  it('are all on one page, section by section', async () => {
    const { exitCode, stdout } = await runCli('help', 'settings');
    expect(exitCode).toBe(0);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    const words = stdout.replaceAll(/\s+/g, ' ');
    for (const { title } of SETTING_SECTIONS) expect(stdout).toContain(`\n${title}\n`);
    for (const setting of SETTINGS) {
      const { flag, type, summary, isSecret } = setting;
      expect(stdout.match(new RegExp(`^  --(\\[no-\\])?${flag}( |$)`, 'gm')), flag).toHaveLength(1);
      for (const choice of type.choices ?? [])
        expect(stdout).toMatch(new RegExp(`--${flag} <.*${choice}.*>`));
      const value = defaultOf(setting);
      const [shown] = [value].flat();
      const inWords = typeof shown === 'boolean' ? (shown ? 'on' : 'off') : String(shown ?? 'none');
      if (!summary.includes('when left out')) expect(words).toContain(`${summary} Default: ${inWords}`);
      else expect(words).toContain(summary);
      if (isSecret) expect(value).toBeUndefined();
    }
    expect(words).toContain('--durability <buffered|group|strict>');
  });

  it('that people use are on the pages of commands, which say where the others are', async () => {
    const [serve, chat, mcp] = await Promise.all(
      ['serve', 'chat', 'mcp'].map(async (name) => (await runCli(name, '--help')).stdout),
    );
    const flags = (page = '') =>
      [...page.matchAll(/^ {2}--(?:\[no-\])?([a-z-]+)/gm)].map(([, flag]) => flag!);
    const talk =
      'config storage-root database-url summary-enabled context-budget-tokens openai-model openai-base-url openai-api-key anthropic-model anthropic-api-key'.split(
        ' ',
      );
    expect(flags(chat)).toEqual(talk);
    expect(flags(serve).sort()).toEqual([...talk, 'host', 'port', 'auth-enabled', 'log-level'].sort());
    expect(flags(mcp)).toEqual(['config', 'storage-root', 'database-url']);
    for (const page of [serve, chat, mcp]) expect(page).toContain('longhand help settings lists all.');
  });
});

describe('longhand', () => {
  it('shows what there is, and its version', async () => {
    const help = await runCli();
    for (const { name, summary } of COMMANDS) {
      expect(help.stdout).toContain(name);
      expect(help.stdout).toContain(summary);
    }
    expect((await runCli('help', 'help')).stdout).toBe(help.stdout);
    expect((await runCli('--version')).stdout.trim()).toBe(VERSION);
    const file = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(VERSION).toBe(file.version);
  });

  const wrong: readonly (readonly [readonly string[], string])[] = [
    [['serch', 'x'], 'Did you mean search?'],
    [['hlep'], 'Did you mean help?'],
    [['vresion'], 'Did you mean version?'],
    [['--hlep'], 'Did you mean --help?'],
    [['--limit', '3', 'search', 'x'], 'The command comes first, and then its options'],
    [['help', 'setings'], 'Did you mean longhand help settings?'],
    [['settings'], 'Did you mean longhand help settings?'],
    [['search', 'x', '--limt', '3'], 'Did you mean --limit?'],
    [['serve', '--prot', '0'], 'Did you mean --port?'],
    [['search', 'x', '--limit'], '--limit needs a value'],
    [['search', 'x', '--limit', 'many'], '--limit must be a number'],
    [['search', 'x', '--limit', '-1'], '--limit needs a value'],
    [['search', 'x', '--json=yes'], '--json takes no value'],
    [['journal', 'x', '--type', 'rumour'], '--type must be one of'],
    [
      ['search'],
      'Say what to search for: a text, --tag, --type or --within. longhand list shows all there is.',
    ],
    [['list', 'tea'], 'list does not take "tea"'],
    [['list', '--all', '--limit', '3'], '--all and --limit contradict each other.'],
    [['list', '--limit', '0'], 'limit must be at least 1.'],
    [['add'], 'add needs a text'],
    [['show'], 'show needs an id.'],
    [['add', 'x', '--importance', '7'], 'importance must be at most 1.'],
    [['show', 'a', 'b'], 'does not take "b"'],
    [['completion', 'tcsh'], 'must be one of bash, zsh, fish'],
    [['serve', '--port', 'x'], 'port must be a whole number'],
    [['serve', '--summary-threshold', '5', '--summary-keep-last', '5'], 'must be below summaryThreshold'],
    [['migrate'], '--schema'],
    [['migrate', '--from', 'a'], 'belong together'],
    [['migrate', '--from', '.', '--to', 'mysql://host/db'], '--to must be a folder, or an address like'],
    [['import', 'no-such-file.jsonl'], 'There is no file'],
    [['import', '.'], '. cannot be read: it is a folder.'],
    [['forget'], 'Say what to forget'],
    [['forget', 'mem_1', '--topic', 'x'], 'in one way'],
    [['forget', '--from', 'foo', '--to', 'today'], '--from "foo": The time expression is not understood'],
    [['forget', '--from', 'yesterday', '--to', '24h'], '--to "24h" names no end'],
    [['forget', '--from', 'today', '--to', 'yesterday'], 'lies after --to'],
    [['forget', '--from', '2026-01-01', '--to', '2026-13-01'], '--to "2026-13-01": The time'],
    [['forget', '--from', '2026-01-01'], '--from needs --to'],
    [['forget', '--to', '2026-01-01'], '--to needs --from'],
    [['add', 'x', '--user', ''], '--user must not be empty'],
  ];
  it('refuses a memory without making a store or a session for it', async () => {
    const root = join(folder, 'none');
    const { exitCode } = await runCli('add', 'x', '--importance', '7', '--storage-root', root);
    expect([exitCode, existsSync(root)]).toEqual([2, false]);
  });

  for (const [args, message] of wrong) {
    it(`refuses ${args.join(' ')}`, async () => {
      // Some are only found out where there is a store.
      mkdirSync(join(folder, 'store/sessions'), { recursive: true });
      const { exitCode, stdout, stderr } = await runCli(...args, ...(takesStore(args) ? store : []));
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain(message);
    });
  }

  it.each([
    [['search', 'x', '--limit', '0'], '--limit must be at least 1.'],
    [['search', 'x', '--min-importance', '2'], '--min-importance must be at most 1.'],
    [['search', 'x', '--min-match', '2'], '--min-match must be at most 1.'],
    [['list', '--limit', '5000'], '--limit must be at most 1000.'],
    [['add', 'x', '--importance', '7'], '--importance must be at most 1.'],
  ])('names the option that is wrong: %j', async (args, sentence) => {
    await runCli('add', 'something', ...store);
    const { exitCode, stderr } = await runCli(...args, ...store);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error ${sentence}`)]);
  });

  it('says as JSON, too, what went wrong', async () => {
    await add('something');
    const { exitCode, stdout } = await runCli('show', 'mem_none', '--json', ...store);
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      error: expect.stringContaining('There is no memory, detail or session mem_none.'),
      code: 'MEMORY_NOT_FOUND',
    });
  });

  it.runIf(SUPPORTS.folder)('does not serve with an invalid setting, wherever it is set', async () => {
    const serve = ['serve', '--port', '0', ...store];
    const given = await runCli(...serve, '--summary-keep-last', '50');
    expect([given.exitCode === 0, given.stdout]).toEqual([false, '']);
    expect(given.stderr).toContain('summary.keep_last must be below summary.threshold');
    mkdirSync(join(folder, 'store'), { recursive: true });
    writeFileSync(join(folder, 'store', 'config.json'), '{"window":{"max_messages":-1}}');
    const kept = await runCli(...serve);
    expect([kept.exitCode === 0, kept.stdout]).toEqual([false, '']);
    expect(kept.stderr).toContain('window.max_messages');
  });

  it.runIf(SUPPORTS.folder)('ends with 5 when the store cannot be used, and says why', async () => {
    writeFileSync(join(folder, 'store'), 'a file in its place');
    for (const args of [['stats'], ['add', 'x'], ['keys', 'create', 'x'], ['serve', '--port', '0']]) {
      const { exitCode, stderr } = await runCli(...args, ...store);
      expect(exitCode).toBe(5);
      expect(stderr).toContain(`${store[1]} cannot be a storage root: it is not a folder.`);
      expect(stderr).not.toMatch(/ENOTDIR|EEXIST|mkdir/);
    }
  });

  it('says where to look when there is no such session', async () => {
    await add('x', '--session', 'one');
    const calls = [
      ['search', 'x', '--session', 'none'],
      ['list', '--session', 'none'],
      ['export', '--session', 'none'],
      ['forget', 'mem_x', '--session', 'none'],
      ['stats', 'none'],
      ['compact', 'none'],
    ];
    for (const args of calls) {
      const { exitCode, stderr } = await runCli(...args, ...store);
      expect(exitCode).toBe(3);
      expect(stderr).toBe('error There is no session none. longhand sessions lists the existing ones.\n');
    }
    expect((await runCli('show', 'none', ...store)).stderr).toContain('longhand list and longhand sessions');
  });

  it('ends with 3 when there is no such key', async () => {
    await add('something');
    const { exitCode, stderr } = await runCli('keys', 'revoke', 'nope', ...store);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('There is no such key.');
    const { id } = await runJson<{ id: string }>('keys', 'create', 'x', ...store);
    const shown = /keys revoke (\S+)/.exec((await runCli('keys', '--help')).stdout)?.[1] ?? '';
    expect(shown).toMatch(/^[A-Za-z0-9-]+$/);
    expect(shown).toHaveLength(id.length);
  });

  it('prints no colours without a terminal, and none from memories', async () => {
    const { id } = await add('red \u001b[31malert\u001b[0m and a bell \u0007');
    for (const args of [['search', 'bell'], ['show', id], ['sessions'], ['stats']]) {
      const { stdout, stderr } = await runCli(...args, ...store);
      expect(stdout + stderr).not.toContain('\u001b');
      expect(stdout + stderr).not.toContain('\u0007');
    }
    const forced = await spawnCli(['search', 'bell', ...store], { env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain('\u001b[');
    expect(forced.stdout).not.toContain('\u001b[31malert');
    const off = await spawnCli(['search', 'bell', ...store], { env: { NO_COLOR: '1' } });
    expect(off.stdout).not.toContain('\u001b');
  });
});

describe('memories', () => {
  it('are added, found, shown and forgotten', async () => {
    const { id, session_id } = await add(
      'We deploy on Fridays',
      '--type',
      'decision',
      '--tag',
      'work.release',
    );
    expect(session_id).toBe(`cli-${new Date().toISOString().slice(0, 10)}`);
    await add('I like short answers', '--type', 'preference', '--importance', '0.9');
    expect(await texts('deploy')).toEqual(['We deploy on Fridays']);
    expect(await texts('--tag', 'work')).toEqual(['We deploy on Fridays']);
    expect(await texts('--type', 'preference')).toEqual(['I like short answers']);
    expect(await texts('*')).toEqual(['I like short answers', 'We deploy on Fridays']);
    expect(await texts('deploy', 'walruses', '--min-match', '0.9')).toEqual([]);
    await add('we deploy on fridays!', '--type', 'decision', '--tag', 'work.release');
    expect((await runCli('search', 'deploy', ...store)).stdout).toMatch(
      /^ 1\. we deploy.*\n +decision +mem_\w+ {2}match 100 % {2}1 duplicate {2}[^\n]*\n +#work\.release\n$/,
    );
    expect(await texts('deploy', '--duplicates')).toHaveLength(2);
    await runCli(
      'forget',
      (await runJson<Found>('search', 'deploy', ...store)).memories[0]!.id,
      '--yes',
      ...store,
    );
    expect((await runCli('search', 'deploy', '--explain', ...store)).stdout).toMatch(
      /importance .* × decay .* = /,
    );
    expect((await runCli('search', 'deploy', '--explain', ...store)).stdout).toMatch(
      /\n {4}strength from: words \d\.\d{3}(, [a-z]+ \d\.\d{3})*\n/,
    );
    expect((await runCli('search', 'deplyo', '--explain', ...store)).stdout).toContain(
      '"deplyo" is in no memory and was taken for: deploy',
    );
    expect((await runCli('show', id, ...store)).stdout).toContain('We deploy on Fridays');
    expect(await runJson('show', id, ...store)).toMatchObject({ id, tags: ['work.release'] });
    expect(await runJson('show', session_id, ...store)).toMatchObject({ session: { id: session_id } });
    const preview = await runCli('forget', id, '--dry-run', ...store);
    expect(preview.stdout).toContain('Would forget 1 memory');
    expect(preview.stderr).toBe('');
    expect((await runCli('forget', id, ...store)).exitCode).toBe(2);
    expect(await runJson('forget', id, '--yes', ...store)).toMatchObject({ pieces: { memories: 1 } });
    expect(await texts('deploy')).toEqual([]);
    expect((await runCli('forget', id, '--yes', ...store)).exitCode).toBe(3);
    const { id: another } = await add('Something else', '--session', 'else');
    const forgotten = await runCli('forget', another, '--yes', ...store);
    expect(forgotten.stdout).toContain('Forgot 1 memory.');
    expect(forgotten.stderr).toBe('');
    const whole = await runCli('forget', '--session', 'else', '--everything', '--yes', ...store);
    expect(whole.stdout).toContain('Forgot 1 session');
    expect(whole.stderr).not.toContain('stay');
  });

  it('go on in the next session when that of the day is full, and not when it was named', async () => {
    const small = ['--max-session-size-mb', '0.01'];
    const long = 'lorem ipsum dolor sit amet '.repeat(100);
    const day = `cli-${new Date().toISOString().slice(0, 10)}`;
    const places: string[] = [];
    for (let i = 0; i < 5; i++)
      places.push((await add(`${i} ${long}`, '--id', `mem_${i}`, ...small)).session_id);
    expect([...new Set(places)]).toEqual([day, `${day}--2`]);
    expect(places.toSorted()).toEqual(places);
    expect(await runJson('show', 'mem_4', ...store)).toMatchObject({
      session_id: `${day}--2`,
      provenance: { author: 'user', trust: 'owner', source: 'cli', session_id: day },
    });
    const again = await add(`4 ${long}`, '--id', 'mem_4', ...small);
    expect(again).toEqual({ id: 'mem_4', session_id: `${day}--2`, already_there: true });
    const named = await runCli('add', `5 ${long}`, '--session', day, ...small, ...store);
    expect([named.exitCode, named.stderr]).toEqual([
      5,
      expect.stringContaining('raise --max-session-size-mb,'),
    ]);
    const huge = await runCli('add', long.repeat(5), ...small, ...store);
    expect([huge.exitCode, huge.stderr]).toEqual([5, expect.stringContaining('has no room for')]);
    expect(await runJson('stats', ...store)).toMatchObject({ sessions: 2, memories: 5 });
  });

  it('that are older than their session say when it began', async () => {
    const timestamp = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const file = join(folder, 'old.jsonl');
    writeFileSync(file, `${JSON.stringify({ type: 'finding', content: 'old', timestamp })}\n`);
    await runCli('import', file, '--session', 'old', ...store);
    await runCli('add', 'new', '--session', 'old', ...store);
    expect((await runCli('sessions', ...store)).stdout).toMatch(/^old +2 {2}1 month ago/m);
    expect(await runJson('stats', 'old', ...store)).toMatchObject({ first_memory_at: timestamp });
  });

  it('of an id are kept once, and it is said when they were there', async () => {
    const first = ['add', 'Tea is hot', '--id', 'mem_tea', ...store];
    const { stdout } = await runCli(...first);
    expect(stdout).toMatch(/^Remembered mem_tea in cli-\S+\n$/);
    const said = stdout.replace('Remembered', 'Already there:');
    expect(await runCli(...first)).toEqual({ exitCode: 0, stdout: said, stderr: '' });
    const other = await runCli('add', 'Tea is cold', '--id', 'mem_tea', ...store);
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('another memory with the id'),
    ]);
    // A session has its own ids.
    expect((await runCli(...first, '--session', 'one')).stdout).toBe('Remembered mem_tea in one\n');
    expect((await runCli(...first, '--session', 'one')).stdout).toBe('Already there: mem_tea in one\n');
    expect((await runCli('add', 'x', '--id', 'no/id', ...store)).stderr).toContain(
      'id must be 1 to 32 letters',
    );
  });

  it('of an id that another day has are not added once more', async () => {
    await add('Tea is hot', '--id', 'mem_tea', '--session', 'cli-2026-01-02');
    const { stdout } = await runCli('add', 'Tea is hot', '--id', 'mem_tea', ...store);
    expect(stdout).toBe('Already there: mem_tea in cli-2026-01-02\n');
    expect(await runJson('stats', ...store)).toMatchObject({ sessions: 1, memories: 1 });
  });

  it('are put right under their id', async () => {
    const { id } = await add('We deploy on Fridays', '--tag', 'work', '--importance', '0.9');
    const edited = await runCli('edit', id, 'We', 'deploy', 'on Mondays', ...store);
    expect(edited).toMatchObject({ exitCode: 0, stderr: '' });
    expect(edited.stdout).toContain('We deploy on Mondays');
    expect(await texts('deploy')).toEqual(['We deploy on Mondays']);
    expect(await runJson('edit', id, '--type', 'decision', '--clear-tags', ...store)).toMatchObject({
      id,
      type: 'decision',
      content: { text: 'We deploy on Mondays' },
      tags: [],
      importance: 0.9,
    });
    expect(await runJson('edit', id, '--tag', 'a', '--tag', 'b', ...store)).toMatchObject({
      tags: ['a', 'b'],
    });
    for (const [args, exitCode, reason] of [
      [[id], 2, 'Say what is to change'],
      [[id, ''], 2, 'nothing to remember'],
      [[id, '--tag', 'a', '--clear-tags'], 2, 'contradict'],
      [['mem_none', 'x'], 3, 'There is no memory mem_none'],
      [['no/id', 'x'], 3, 'There is no memory no/id'],
      [[id, 'x', '--session', 'elsewhere'], 3, 'elsewhere'],
    ] as const) {
      const refused = await runCli('edit', ...args, ...store);
      expect(refused).toMatchObject({ exitCode, stdout: '' });
      expect(refused.stderr).toContain(reason);
    }
    expect(await texts('deploy')).toEqual(['We deploy on Mondays']);
  });

  it('may be repeated in messages, which stay when there are any, and that is said', async () => {
    const manager = await managerOf(join(folder, 'store'));
    await manager.createSession('me', { session_id: 'one' });
    const memory = manager.as({ account_id: 'local', user_id: 'me' });
    await memory.archiveMessages('one', [{ id: 'm1', role: 'user', content: 'My dog is called Rex' }]);
    const id = await manager.addMemory('one', { type: 'finding', content: 'The dog is called Rex' });
    const other = await manager.addMemory('one', { type: 'finding', content: 'The cat is called Tom' });
    await manager.close();
    const stays = 'other messages that repeat it stay in the transcript';
    expect((await runCli('forget', id, '--dry-run', ...store)).stderr).toContain(stays);
    // Messages with the words go along.
    expect((await runCli('forget', '--text', 'Tom', '--dry-run', ...store)).stderr).toContain(
      'Messages that say it in other words stay in the transcript',
    );
    // The only message there is.
    expect((await runCli('forget', 'm1', '--dry-run', ...store)).stderr).toBe('');
    expect((await runCli('forget', id, '--yes', ...store)).stderr).toContain(stays);
    expect((await runCli('forget', 'm1', '--yes', ...store)).stderr).toBe('');
    // None is left.
    expect((await runCli('forget', other, '--dry-run', ...store)).stderr).toBe('');
    expect((await runCli('forget', other, '--yes', ...store)).stderr).toBe('');
  });

  it('of one agent are forgotten without those of another, and none that is not there', async () => {
    await add('said by no particular agent', '--session', 'plain');
    for (const agent of ['scout', 'guide'])
      await runCli('notes', 'append', `known to ${agent}`, '--agent', agent, ...store);
    const all = ['forget', '--everything', ...store];
    const missing = await runCli(...all, '--agent', 'nosuch', '--yes');
    expect([missing.exitCode, missing.stderr]).toEqual([3, expect.stringContaining('no agent nosuch')]);
    const preview = await runCli(...all, '--agent', 'scout', '--dry-run');
    expect(preview.stdout).toBe(
      '  notes  all notes of scout\nWould forget 1 document of notes, 1 agent (all of the agent scout, for every user).\n',
    );
    expect((await runCli(...all, '--dry-run')).stdout).toContain('1 session, 1 memory, 2 documents of notes');
    expect((await runCli(...all, '--dry-run')).stdout).toContain('(all of the user me)');
    expect((await runCli(...all, '--agent', 'scout', '--yes')).exitCode).toBe(0);
    expect(await texts('particular')).toEqual(['said by no particular agent']);
    expect((await runCli('notes', '--agent', 'guide', ...store)).stdout).toContain('known to guide');
  });

  for (const narrowed of [
    ['--topic', 'health'],
    ['--from', '2026-01-01', '--to', '2026-01-02'],
    ['--everything', '--user', 'me'],
    ['--everything', '--session', 'plain'],
  ]) {
    it(`of an agent are not forgotten with ${narrowed.join(' ')}: it would reach more`, async () => {
      await add('kept', '--session', 'plain', '--tag', 'health');
      const run = await runCli('forget', '--agent', 'default', ...narrowed, '--yes', ...store);
      expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('--agent')]);
      expect(await texts('kept')).toEqual(['kept']);
    });
  }

  for (const command of 'search list show export import compact reindex stats sessions'.split(' ')) {
    it(`have no agent in ${command}, and it says so instead of passing it over`, async () => {
      const run = await runCli(command, 'word', '--agent', 'scout', ...store);
      expect([run.exitCode, run.stderr]).toEqual([
        2,
        expect.stringContaining(`${command} takes no --agent: it is about what all agents`),
      ]);
    });
  }

  it('come from standard input, and keep to their user', async () => {
    const piped = await spawnCli(['add', '-', '--user', 'ada', '--json', ...store], {
      input: 'two\nlines\n',
    });
    expect(piped.exitCode, piped.stderr).toBe(0);
    expect(await texts('lines', '--user', 'ada')).toEqual(['two\nlines']);
    expect(await texts('lines')).toEqual([]);
  });

  it('go out and come in again, once', async () => {
    await add('The first', '--session', 'one', '--tag', 'a');
    await add('The second', '--session', 'two');
    await runCli('notes', 'append', '# Tone', 'Short.', ...store);
    const file = join(folder, 'all.jsonl');
    expect((await runCli('export', '--output', file, ...store)).exitCode).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = ['--storage-root', join(folder, 'other')];
    const dry = await runJson<object>('import', file, '--dry-run', ...other);
    expect(dry).toMatchObject({ sessions: 2, memories: 2, notes: 1 });
    const nothing = { sessions: 0, memories: 0, messages: 0, notes: 0, details: 0, agent_memories: 0 };
    expect(await runJson('import', file, ...other)).toEqual({ ...dry, already_there: nothing });
    expect(await runJson('import', file, ...other)).toEqual({
      ...dry,
      ...nothing,
      samples: [],
      already_there: { ...nothing, sessions: 2, memories: 2, notes: 1 },
    });
    await add('The third', '--session', 'two');
    await runCli('export', '--output', file, ...store);
    expect((await runCli('import', file, ...other)).stdout).toBe(
      'Imported 1 memory.\nAlready there: 2 sessions, 2 memories, 1 document of notes.\n',
    );
    expect((await runCli('import', file, ...other)).stdout).toBe(
      'Imported nothing new.\nAlready there: 2 sessions, 3 memories, 1 document of notes.\n',
    );
    const { sessions } = await runJson<{ sessions: { id: string }[] }>('sessions', ...other);
    expect(sessions.map(({ id }) => id)).toEqual(['one', 'two']);
    const found = await runJson<Found>('search', 'first second third', ...other);
    expect(found.memories.map(({ content }) => content.text).sort()).toEqual([
      ...['The first', 'The second', 'The third'],
    ]);
    expect(await runJson('notes', ...other)).toMatchObject({ text: '# Tone\nShort.' });
  });

  it('come in with the settings of their sessions, and what is skipped is said', async () => {
    await add('The first', '--session', 'one');
    const manager = await managerOf(join(folder, 'store'));
    const settings = { agents: ['scout'], preferences: { language: 'en' } };
    await manager.updateSession('one', { ...settings, decay_config: { half_life_hours: 9 } });
    await manager.createSession('me', { session_id: 'empty' });
    await manager.close();
    const file = join(folder, 'all.jsonl');
    await runCli('export', '--output', file, ...store);
    appendFileSync(file, '{"kind":"summary","session_id":"one","text":"short"}\n');
    const root = join(folder, 'other');
    const { stdout } = await runCli('import', file, '--storage-root', root);
    expect(stdout).toContain('Imported 2 sessions, 1 memory.');
    expect(stdout).toContain('Skipped: 1 × summary.');
    const other = await managerOf(root);
    expect(await other.loadSession('one')).toMatchObject({
      ...settings,
      decay_config: { half_life_hours: 9 },
    });
    expect((await other.listSessions('me')).map(({ id }) => id).sort()).toEqual(['empty', 'one']);
    await other.close();
  });

  it('come back without those that were deleted since, when that is asked for', async () => {
    const { id } = await add('The first', '--session', 'one');
    await add('The second', '--session', 'one');
    await add('The third', '--session', 'two');
    const file = join(folder, 'all.jsonl');
    await runCli('export', '--output', file, ...store);
    await runCli('forget', id, '--yes', ...store);
    const refused = await runCli('import', file, ...store);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--skip-deleted');
    const taken = await runJson('import', file, '--skip-deleted', ...store);
    expect(taken).toMatchObject({ memories: 0, already_there: { memories: 2 }, skipped_deleted: 1 });
    const { stdout } = await runCli('import', file, '--skip-deleted', ...store);
    expect(stdout).toContain('Left out, deleted here before: 1 piece.');
    expect(await texts('--type', 'finding', '--sort', 'time')).not.toContain('The first');
  });

  it('come from one session, from lines, and from the reference server', async () => {
    await add('Only this', '--session', 'one');
    for (const format of ['json', 'jsonl']) {
      const { stdout } = await runCli('export', '--session', 'one', '--format', format, ...store);
      const file = join(folder, `one.${format}`);
      writeFileSync(file, stdout);
      const other = ['--storage-root', join(folder, format)];
      expect(await runJson('import', file, ...other)).toMatchObject({ memories: 1 });
      expect((await runJson<Found>('search', 'only', ...other)).memories).toHaveLength(1);
    }
    const graph = join(folder, 'graph.jsonl');
    const lines = [
      { type: 'entity', name: 'Ada', entityType: 'person', observations: ['drinks tea', 'writes programs'] },
      { type: 'relation', from: 'Ada', to: 'Charles', relationType: 'works with' },
    ];
    writeFileSync(graph, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await runJson('import', graph, ...store)).toMatchObject({ memories: 2 });
    expect(await runJson('import', graph, ...store)).toMatchObject({
      memories: 0,
      already_there: { memories: 2 },
    });
    expect(await texts('tea')).toEqual(['Ada (person)\ndrinks tea\nwrites programs']);
    expect(await texts('Charles')).toEqual(['Ada works with Charles']);
  });

  it('come in with their messages and details, and it is said which were there', async () => {
    const manager = await managerOf(join(folder, 'store'));
    await manager.createSession('me', { session_id: 'one' });
    const memory = manager.as({ account_id: 'local', user_id: 'me' });
    const said = { role: 'user' as const, content: 'Hello' };
    await memory.archiveMessages('one', [{ id: 'm1', ...said }]);
    await memory.storeDetail('one', { content: 'a long text', type: 'log', description: 'a log' });
    await manager.close();
    const file = join(folder, 'all.jsonl');
    await runCli('export', '--output', file, ...store);
    const line = { kind: 'message', session_id: 'one' };
    appendFileSync(file, `${JSON.stringify({ ...line, id: 'm2', ...said })}\n`);
    appendFileSync(file, `${JSON.stringify({ ...line, role: 'tool', content: 'x', tool_call_id: 'c' })}\n`);
    expect((await runCli('import', file, ...store)).stdout).toBe(
      'Imported 1 message.\nAlready there: 1 session, 1 message, 1 detail.\n' +
        'Skipped: 1 × message that no transcript keeps.\n',
    );
  });

  it.runIf(SUPPORTS.folder)(
    'that hold nothing are not added, but those of a log count, and come back from an export',
    async () => {
      await add('Something', '--session', 'one');
      const empty = '{"type":"finding","content":{}}\n';
      appendFileSync(join(folder, 'store/sessions/one/memory.jsonl'), empty);
      const file = join(folder, 'all.jsonl');
      await runCli('export', '-o', file, ...store);
      const other = ['--storage-root', join(folder, 'other')];
      expect((await runCli('import', file, ...other)).exitCode).toBe(0);
      for (const there of [store, other])
        expect(await runJson('stats', ...there)).toMatchObject({ memories: 2, damaged_lines: 0 });
      writeFileSync(file, empty);
      const refused = await runCli('import', file, '--session', 'two', ...other);
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        expect.stringContaining('nothing in it to remember'),
      ]);
    },
  );

  it('may have a plain text for content', async () => {
    const file = join(folder, 'plain.jsonl');
    const lines = [
      { type: 'finding', content: 'Tea is in the cupboard', id: 'mem_tea' },
      { type: 'finding', content: { text: 'Tea is hot' } },
    ];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await runJson('import', file, ...store)).toMatchObject({ memories: 2 });
    expect((await texts('tea')).toSorted()).toEqual(['Tea is hot', 'Tea is in the cupboard']);
    writeFileSync(file, JSON.stringify([{ type: 'finding', content: 'A list holds texts too' }]));
    expect(await runJson('import', file, ...store)).toMatchObject({ memories: 1 });
    expect(await texts('list')).toEqual(['A list holds texts too']);
  });

  const senseless: readonly (readonly [string, string, string])[] = [
    ['{"type":"finding","content":{"text":"good"}}\n{"nothing": 1}\n', ', line 2', 'neither a memory nor'],
    ['{"content":"good"}\n\nnonsense\n', ', line 3', 'not JSON'],
    ['{"content":"good"}\n{"type":"finding","content":"x","importance":7}\n', ', line 2', 'importance'],
    ['{"content":"good"}\n{"kind":"session","id":"a/b"}\n', ', line 2', 'session id'],
    ['{"content":"good"}\n{"kind":"message","session_id":"one","role":"bard"}\n', ', line 2', 'role'],
    ['{"id":"mem_a","content":"good"}\n{"id":"mem_a","content":"other"}\n', ', line 2', 'another memory'],
    ['[{"content":"good"},{"id":"a1","memory":7}]', ', entry 2', 'neither a memory nor'],
    ['[{"content":"good"}, 7]', ', entry 2', 'not a JSON object'],
    [
      '{"memories":[{"content":"good"},{"type":"rumour","content":"x"}]}',
      ', entry 2',
      'The type of a memory',
    ],
    ['{\n  "rows": []\n}', '', 'neither a memory nor'],
  ];
  it.each(senseless)('are not taken in at all when one makes no sense: %j', async (text, place, reason) => {
    const file = join(folder, 'bad.json');
    writeFileSync(file, text);
    for (const more of [[], ['--dry-run']]) {
      const { exitCode, stderr } = await runCli('import', file, ...more, ...store);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(new RegExp(`bad\\.json${place}: .*${reason}.* Nothing was imported\\.`));
    }
    if (SUPPORTS.folder) expect(existsSync(store[1]!)).toBe(false);
  });

  it('come back with what a session was, and when it began', async () => {
    const manager = await managerOf(join(folder, 'store'));
    const created_at = '2025-05-01T10:00:00.000Z';
    const decay_config = { half_life_hours: 9 };
    await manager.createSession('me', { session_id: 'one', created_at, decay_config });
    const timestamp = '2025-05-02T10:00:00.000Z';
    await manager.addMemory('one', { type: 'finding', content: 'old', timestamp, decay_factor: 0.7 });
    await manager.close();
    const began: Record<string, unknown> = {};
    const exports = { all: [], json: ['--session', 'one'], jsonl: ['--session', 'one', '-f', 'jsonl'] };
    for (const [name, options] of Object.entries(exports)) {
      const file = join(folder, `${name}.export`);
      await runCli('export', ...options, '--output', file, ...store);
      const other = ['--storage-root', join(folder, name)];
      expect((await runCli('import', file, ...other)).exitCode).toBe(0);
      const { content } = await runJson<{ content: string }>('export', '--session', 'one', ...other);
      const { session, memories } = JSON.parse(content);
      expect(memories).toMatchObject([{ timestamp, decay_factor: 0.7, content: { text: 'old' } }]);
      began[name] = [session.created_at, session.decay_config];
    }
    expect(began).toEqual({
      all: [created_at, decay_config],
      json: [created_at, decay_config],
      // These are the memories alone: it began with the first of them, as far as they tell.
      jsonl: [timestamp, {}],
    });
  });
});

describe('sessions', () => {
  it('are listed newest first, and with their score when something is searched for', async () => {
    await add('We deploy on Fridays', '--session', 'one', '--agent', 'scout');
    await add('We deploy blue green', '--session', 'two');
    await add('The deploy of two failed', '--session', 'two');
    await add('Tea is hot', '--session', 'three');
    const { stdout } = await runCli('sessions', ...store);
    expect(stdout.split('\n')[0]).toBe('session  memories  begun     agents');
    expect(stdout).toMatch(/^one +1 {2}just now {2}scout$/m);
    for (const all of ['*', '** *', ' '])
      expect((await runCli('sessions', all, ...store)).stdout).toBe(stdout);
    const found = (await runCli('sessions', 'deploy', ...store)).stdout.trimEnd().split('\n');
    expect(found[0]).toBe('session  score  memories  begun     agents');
    expect(found).toHaveLength(3);
    expect(found.find((line) => line.startsWith('two'))).toMatch(/^two +\d\.\d\d +2 {2}just now {2}default$/);
    expect(await runCli('sessions', 'zeppelin', ...store)).toMatchObject({
      stdout: '',
      stderr: 'None of your sessions matches "zeppelin".\n',
    });
  });
});

describe('sentences', () => {
  beforeEach(() => add('Something', '--session', 'one'));

  it.each([
    [['search', 'x', '--limit', '-1'], '--limit needs a value. One that begins with a hyphen'],
    [['search', 'x', '--limit=-1'], 'limit must be at least 1.'],
    [['keys', 'create'], 'Say what the key is for'],
    [['keys', 'create', ' '], 'Say what the key is for'],
    [['export', '-o', '/nowhere/at/all'], 'cannot be written: there is no folder /nowhere/at.'],
    [['export', '--session', 'one', '-o', tmpdir()], 'cannot be written: it is a folder.'],
  ])('say what to mend in %j', async (args, sentence) => {
    const run = await runCli(...args, ...store);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(sentence);
  });

  it('quote no empty value', async () => {
    const { exitCode, stderr } = await runCli('search', 'x', '--storage-root=');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('storageRoot must not be empty (from');
  });

  it('tell what was written, of one session too', async () => {
    const file = join(folder, 'one.json');
    expect((await runCli('export', '--session', 'one', '-o', file, ...store)).stderr).toBe(
      `Wrote one to ${file}.\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('do not have several sessions poured into one', async () => {
    await add('Another', '--session', 'two');
    const file = join(folder, 'all.jsonl');
    await runCli('export', '-o', file, ...store);
    const { exitCode, stderr } = await runCli('import', file, '--user', 'bob', ...store);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('import the sessions of this file into a store of their own');
  });

  it('say that no line of a detail holds what was searched for', async () => {
    const manager = await managerOf(join(folder, 'store'));
    const { details } = await manager.layers();
    const { memory_key } = await details.store('one', { content: 'first\nsecond' });
    await manager.close();
    const run = await runCli('show', memory_key, '--search', 'nope', ...store);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain('No line of it holds that.');
  });

  it('count an agent that takes part in a session', async () => {
    expect(await runJson('stats', ...store)).toMatchObject({ agents: 1 });
  });
});

describe('looking after the store', () => {
  it.runIf(SUPPORTS.folder)('does not make a store to look into it', async () => {
    const calls = [
      ...[
        ['verify'],
        ['migrate', '--schema'],
        ['search', 'x'],
        ['list'],
        ['show', 'x'],
        ['export'],
        ['compact'],
      ],
      ...[['forget', '--everything', '--yes'], ['reindex'], ['stats'], ['sessions'], ['sessions', 'x']],
      ...[
        ['notes'],
        ['notes', 'show'],
        ['notes', 'history'],
        ['notes', 'diff', '1'],
        ['notes', 'restore', '1'],
      ],
      ...[['keys'], ['keys', 'list'], ['keys', 'revoke', 'x']],
    ];
    const root = store[1]!;
    for (const isFolder of [false, true]) {
      if (isFolder) mkdirSync(root);
      for (const command of calls) {
        const { exitCode, stderr } = await runCli(...command, ...store);
        expect([exitCode, stderr], command.join(' ')).toEqual([
          5,
          expect.stringContaining(`There is no store in ${root}. Check --storage-root`),
        ]);
      }
      expect(existsSync(root) ? readdirSync(root) : undefined).toEqual(isFolder ? [] : undefined);
    }
    rmSync(root, { recursive: true });
    for (const command of [
      ['notes', 'append', 'x'],
      ['keys', 'create', 'x'],
      ['add', 'x'],
    ]) {
      expect((await runCli(...command, ...store)).exitCode, command.join(' ')).toBe(0);
      expect((await runCli('keys', ...store)).exitCode).toBe(0);
      rmSync(root, { recursive: true });
    }
  });

  it.runIf(SUPPORTS.folder)(
    'verifies: sound stores pass, damage is counted with file and offset',
    async () => {
      await add('The first', '--session', 'one');
      await add('The second', '--session', 'one');
      const sound = await runCli('verify', ...store);
      expect(sound).toMatchObject({ exitCode: 0 });
      expect(sound.stdout).toContain('No damage.');
      const log = join(folder, 'store/sessions/one/memory.jsonl');
      const before = readFileSync(log, 'utf8');
      writeFileSync(log, before.replace('The second', 'The zecond'));
      const { exitCode, stdout } = await runCli('verify', '--json', ...store);
      expect(exitCode).toBe(1);
      const [, second] = before.split('\n').filter((line) => line.includes('"id":'));
      expect(JSON.parse(stdout)).toMatchObject({
        is_sound: false,
        damage: [
          { place: 'sessions/one/memory.jsonl', offset: before.indexOf(second!), kind: 'checksum', line: 3 },
        ],
      });
      expect((await runCli('verify', ...store)).stdout).toContain('sessions/one/memory.jsonl:3');
    },
  );

  it('shows in a chat what was recalled, in 80 columns, and says what hardly fits', async () => {
    await add('The lighthouse keeper is Ola.');
    await add('The lighthouse is on Utsira.');
    const question = 'Who is the keeper of the lighthouse?';
    const { stderr } = await runCli('chat', question, ...store);
    expect(stderr).toContain('recalled  The lighthouse keeper is Ola.\n');
    expect(stderr).toContain('recalled  The lighthouse is on Utsira. (weak)\n');
    await add(`The lighthouse is ${'very '.repeat(30)}high.`);
    const long = await runCli('chat', question, ...store);
    expect(long.stderr).toMatch(/recalled {2}The lighthouse is very very .*…/);
    expect(Math.max(...long.stderr.split('\n').map((line) => line.length))).toBeLessThan(80);
    const found = await runCli('search', question, '--explain', ...store);
    expect(found.stdout).toMatch(/Utsira\.\n.* match \d+ % /);
    expect(found.stdout).not.toMatch(/= 0\.0+\b/);
  });

  it('shows in a chat what is remembered, and what it replaces', async () => {
    const { stderr } = await runCli('chat', 'I live in Lisbon.', ...store);
    expect(stderr).toContain('remembered  I live in Lisbon.');
    const moved = await runCli('chat', 'I moved to Porto.', ...store);
    expect(moved.stderr.split('remembered  I live in Porto.')).toHaveLength(2);
    expect(moved.stderr).toContain('replaced an older memory');
    expect(moved.stdout).toContain('It replaces “I live in Lisbon.”');
  });

  it('shows in a chat the text of what is forgotten', async () => {
    await add('I am allergic to peanuts. Also I work at Equinor.');
    const { stdout, stderr } = await runCli('chat', 'Forget that I am allergic to peanuts', ...store);
    expect(stderr).toContain('forgot  I am allergic to peanuts. Also I work at Equinor.');
    // The answer is archived.
    expect(stdout).not.toContain('peanuts');
  });

  it.runIf(SUPPORTS.folder)(
    'verifies that a session which has left other files still has its log',
    async () => {
      await add('The first', '--session', 'one');
      await add('The second', '--session', 'two');
      await runCli('compact', ...store);
      const sessions = join(folder, 'store/sessions');
      rmSync(join(sessions, 'one/memory.jsonl'));
      mkdirSync(join(sessions, 'empty'));
      mkdirSync(join(sessions, '.new-draft'));
      writeFileSync(join(sessions, '.new-draft/tombstones.jsonl'), '');
      const { exitCode, stdout } = await runCli('verify', '--json', ...store);
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout).damage).toEqual([
        {
          place: 'sessions/one/memory.jsonl',
          offset: 0,
          kind: 'missing',
          reason: 'Other files of the session are there, its log is not.',
        },
      ]);
      const shown = await runCli('verify', ...store);
      expect(shown.stdout).toContain('sessions/one/memory.jsonl  at byte 0  missing: the file is not there');
      expect(shown.stderr).toContain('backup');
      expect(shown.stderr).not.toContain('Damaged lines');
    },
  );

  it.runIf(SUPPORTS.folder)('says where a line has no end, and that it may be one that lost it', async () => {
    await add('The first', '--session', 'one');
    await add('The second', '--session', 'one');
    const log = join(folder, 'store/sessions/one/memory.jsonl');
    const whole = readFileSync(log, 'utf8');
    const offset = whole.lastIndexOf('\n', whole.length - 2) + 1;
    writeFileSync(log, whole.slice(0, -20));
    const bytes = whole.length - 20 - offset;
    expect(await runJson('verify', ...store)).toMatchObject({
      is_sound: true,
      unfinished_bytes: bytes,
      unfinished: [{ place: 'sessions/one/memory.jsonl', offset, bytes }],
    });
    const { exitCode, stdout } = await runCli('verify', ...store);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `An unfinished line of ${bytes} bytes at byte ${offset}: sessions/one/memory.jsonl\n` +
        'A write that was cut off and never acknowledged, or a line that lost its end.',
    );
  });

  it.runIf(process.platform !== 'win32' && SUPPORTS.folder)(
    'closes a state folder that others can read, and refuses one that they can write',
    async () => {
      const state = join(folder, 'state');
      mkdirSync(state);
      chmodSync(state, 0o755);
      await add('The first', '--state-folder', state);
      expect(statSync(state).mode & 0o777).toBe(0o700);
      chmodSync(state, 0o777);
      const { exitCode, stderr } = await runCli('add', 'The second', '--state-folder', state, ...store);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 5,
        stderr: expect.stringContaining('chmod go-w'),
      });
    },
  );

  it.runIf(SUPPORTS.folder)('verifies what the server keeps: the spool and the API keys', async () => {
    await add('The first', '--session', 'one');
    await runCli('keys', 'create', 'laptop', ...store);
    const session = { id: 'one', account_id: 'local', user_id: 'me', created_at: '2026' };
    const message = {
      id: 'm',
      role: 'user' as const,
      content: 'Hello',
      timestamp: '2026-01-01T00:00:00.000Z',
    };
    const line = renderLine({ session, message });
    const state = join(folder, 'store/server');
    const spool = join(state, 'spool/left.jsonl');
    writeFileSync(spool, `${line}${line.slice(0, 20)}`);
    writeFileSync(join(state, 'spool/old.jsonl.damaged'), 'unreadable\n');
    const sound = { spooled_messages: 1, key_lines: 1, set_aside_lines: 1, unfinished_bytes: 20 };
    expect(await runJson('verify', ...store)).toMatchObject({ is_sound: true, ...sound });
    expect((await runCli('verify', ...store)).stdout).toContain(
      'Of the server: 1 message in the spool, 1 line about API keys.\n1 line of the spool set aside',
    );
    // It changes nothing, and takes nothing over.
    expect(readFileSync(spool, 'utf8')).toBe(`${line}${line.slice(0, 20)}`);

    writeFileSync(
      spool,
      `${line}${line.replace('Hello', 'Hallo')}${renderLine({ session, message: {} as never })}`,
    );
    const keys = join(state, 'api-keys.jsonl');
    const length = readFileSync(keys).length;
    appendFileSync(keys, '{"record":"key","id"\n{"record":"key","id":"x"}\n7\n');
    const { exitCode, stdout } = await runCli('verify', '--json', ...store);
    expect(exitCode).toBe(1);
    const inSpool = { place: 'server/spool/left.jsonl' };
    const inKeys = { place: 'server/api-keys.jsonl' };
    expect(JSON.parse(stdout).damage).toEqual([
      { ...inSpool, offset: line.length, line: 2, kind: 'checksum' },
      { ...inSpool, offset: 2 * line.length, line: 3, kind: 'schema' },
      { ...inKeys, offset: length, line: 2, kind: 'torn' },
      { ...inKeys, offset: length + 21, line: 3, kind: 'schema' },
      { ...inKeys, offset: length + 47, line: 4, kind: 'schema' },
    ]);
    expect((await runJson<{ keys: unknown[] }>('keys', 'list', ...store)).keys.length).toBeGreaterThan(0);
  });

  it.runIf(SUPPORTS.folder)('reports a line that was edited by hand, and how to repair it', async () => {
    const { id, session_id } = await add('My dog is called Rex');
    const file = join(folder, 'store/sessions', session_id, 'memory.jsonl');
    const edited = readFileSync(file, 'utf8').replace('called Rex', 'called Max');
    writeFileSync(file, edited);
    const shown = await runCli('show', id, ...store);
    expect(shown.stderr).toContain('1 damaged line skipped. longhand verify says where');
    const checked = await runCli('verify', ...store);
    expect(checked.exitCode).toBe(1);
    expect(checked.stderr).toContain('take its last field out, from ,"checksum" up to the closing brace');
    writeFileSync(file, edited.replace(/(Max.*),"checksum":[^}]*\}/, '$1}'));
    expect(await texts('dog')).toEqual(['My dog is called Max']);
    expect((await runCli('verify', ...store)).exitCode).toBe(0);
  });

  it.runIf(SUPPORTS.folder)(
    'verifies what stats calls damaged: a line by hand that is no memory, with the reason',
    async () => {
      await add('The first', '--session', 'one');
      const log = join(folder, 'store/sessions/one/memory.jsonl');
      appendFileSync(
        log,
        '{"type":"finding","content":"text only"}\n{"type":"finding","content":{"text":"fine"}}\n',
      );
      expect(await runJson('stats', ...store)).toMatchObject({ damaged_lines: 1 });
      const { exitCode, stdout } = await runCli('verify', '--json', ...store);
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        unverified_lines: 1,
        damage: [{ place: 'sessions/one/memory.jsonl', line: 3, kind: 'schema' }],
      });
      const shown = await runCli('verify', ...store);
      expect(shown.stdout).toContain('sessions/one/memory.jsonl:3');
      expect(shown.stdout).toContain('content must be');
    },
  );

  it.runIf(SUPPORTS.folder).each(['Max', 'Maximilian'])(
    'reports after every search the line that it skipped: %s',
    async (name) => {
      await add('My dog is called Rex', '--session', 'one');
      await add('My cat is called Tom', '--session', 'one');
      expect((await runCli('search', 'dog', ...store)).stderr).toBe('');
      expect(await runCli('reindex', ...store)).toMatchObject({ exitCode: 0 });
      const log = join(folder, 'store/sessions/one/memory.jsonl');
      writeFileSync(log, readFileSync(log, 'utf8').replace('called Rex', `called ${name}`));
      for (const query of ['dog', 'cat', 'dog'])
        expect((await runCli('search', query, ...store)).stderr).toContain('1 damaged line skipped');
      expect((await runCli('compact', '--session', 'one', ...store)).exitCode).toBe(0);
      expect((await runCli('search', 'dog', ...store)).stderr).not.toContain('skipped');
    },
  );

  it.runIf(SUPPORTS.folder)(
    'says where damaged lines lie that it took out of a log, and not that they are still there',
    async () => {
      await add('The first', '--session', 'one');
      appendFileSync(join(folder, 'store/sessions/one/memory.jsonl'), 'a note by hand\n{"id": "cut\n');
      const corrupt = join(folder, 'store/sessions/one/corrupt');
      const before = await runCli('verify', ...store);
      expect(before.stdout).toContain(
        'torn: the line is no whole JSON: cut off while it was written, or written by hand',
      );
      const rehearsed = await runCli('compact', '--dry-run', ...store);
      expect(rehearsed.stderr).toContain(`2 damaged lines would go out of the log, into ${corrupt}.`);
      expect(rehearsed.stderr).toContain('2 damaged lines skipped');
      const compacted = await runCli('compact', ...store);
      expect(compacted.stderr).toContain(`2 damaged lines went out of the log, into ${corrupt}.`);
      expect(compacted.stderr).not.toContain('skipped');
      expect(readdirSync(corrupt)).toHaveLength(2);
      expect((await runCli('verify', ...store)).exitCode).toBe(0);
    },
  );

  it.runIf(SUPPORTS.folder)('leaves sessions alone that have nothing to take out', async () => {
    const { id } = await add('Long lived', '--session', 'one');
    const file = join(folder, 'store/sessions/one/memory.jsonl');
    const before = readFileSync(file, 'utf8');
    const compacted = await runCli('compact', ...store);
    expect(compacted).toMatchObject({ exitCode: 0, stdout: '' });
    expect(compacted.stderr).toBe('There is nothing to take out of 1 session.\n');
    expect(readFileSync(file, 'utf8')).toBe(before);
    await add('x'.repeat(5_000), '--session', 'one', '--id', 'mem_long');
    const manager = await managerOf(join(folder, 'store'));
    await manager.deleteMemory('one', 'mem_long');
    await manager.close();
    const { stderr: rehearsed } = await runCli('compact', '--dry-run', ...store);
    expect(rehearsed).toMatch(/^Would free \d\.\d KB in 1 session of 1\.\n$/);
    expect((await runCli('compact', ...store)).stderr).toBe(rehearsed.replace('Would free', 'Freed'));
    expect(await runJson('show', id, ...store)).toMatchObject({ id });
  });

  it('compacts, reindexes and tells how much there is', async () => {
    const { id } = await add('Short lived', '--session', 'one');
    await add('Long lived', '--session', 'one');
    await runCli('forget', id, '--yes', ...store);
    expect(await runJson('compact', ...store)).toMatchObject({
      sessions: [{ session_id: 'one', entries_after: 1 }],
    });
    expect(await runJson('reindex', 'one', ...store)).toMatchObject({
      sessions: [{ entries: 1, damaged_lines: 0 }],
    });
    expect(await runJson('stats', ...store)).toMatchObject({ sessions: 1, memories: 1, damaged_lines: 0 });
    expect(await runJson('stats', 'one', ...store)).toMatchObject({ session_id: 'one', total_entries: 1 });
    expect((await runCli('stats', 'none', ...store)).exitCode).toBe(3);
  });

  it.runIf(SUPPORTS.folder)(
    'takes in by reindexing all what was copied into the store by hand, and says so',
    async () => {
      await add('Of old', '--session', 'one');
      const elsewhere = join(folder, 'elsewhere');
      for (const [id, user] of [
        ['brought', 'me'],
        ['of-bob', 'bob'],
      ] as const) {
        const to = ['--session', id, '--user', user, '--storage-root', elsewhere];
        await runCli('add', 'From elsewhere', ...to);
        const [from, into] = [elsewhere, join(folder, 'store')].map((root) => join(root, 'sessions', id));
        cpSync(from!, into!, { recursive: true });
      }
      expect(await runJson('reindex', 'one', ...store)).not.toHaveProperty('adopted');
      expect(await runJson('stats', ...store)).toMatchObject({ sessions: 1 });
      const { stdout } = await runCli('reindex', ...store);
      expect(stdout).toBe(
        'Reindexed 2 memories in 2 sessions.\nAdopted 1 session that no list named: brought.\n',
      );
      expect(await runJson('stats', ...store)).toMatchObject({ sessions: 2, memories: 2 });
      expect(await runJson('search', 'elsewhere', ...store)).toMatchObject({
        memories: [{ session_id: 'brought' }],
      });
      const again = await runJson('reindex', ...store);
      expect(again).toMatchObject({ adopted: [], sessions: [{ entries: 1 }, { entries: 1 }] });
      expect((await runCli('reindex', ...store)).stdout).toBe('Reindexed 2 memories in 2 sessions.\n');
      expect(await runJson('reindex', '--user', 'bob', ...store)).toMatchObject({ adopted: ['of-bob'] });
    },
  );

  it.runIf(SUPPORTS.folder)(
    'moves to another folder with everything, and refuses one that is taken',
    async () => {
      await add('Take me along', '--session', 'one', '--tag', 'a.b');
      await runCli('notes', 'append', 'Remember the tone.', ...store);
      const to = join(folder, 'new');
      const moved = await runJson('migrate', '--from', join(folder, 'store'), '--to', to);
      expect(moved).toMatchObject({
        is_whole: true,
        sessions: 1,
        agents: 1,
        notes: 1,
        damaged_lines: 0,
        changed: [],
      });
      const there = ['--storage-root', to];
      expect((await runJson<Found>('search', 'along', ...there)).memories).toHaveLength(1);
      expect(await runJson('notes', ...there)).toMatchObject({ text: 'Remember the tone.' });
      expect((await runCli('verify', ...there)).exitCode).toBe(0);
      const again = await runCli('migrate', '--from', join(folder, 'store'), '--to', to);
      expect(again.exitCode).toBe(2);
      expect(again.stderr).toContain('one');
      expect(await runJson('migrate', '--schema', ...store)).toEqual({ migrated: [], failed: [] });
    },
  );

  it('moves with what a server keeps there: the API keys, and messages that wait', async () => {
    await add('Taken along', '--session', 'one');
    const [from, to] = [join(folder, 'store/server'), join(folder, 'new/server')];
    const keysIn = (state: string) => new ApiKeys(new AccountFiles(state));
    const [living, revoked] = await Promise.all(
      [0, 1].map((i) => keysIn(from).create({ label: `number ${i}`, access: 'read' })),
    );
    await keysIn(from).revoke(revoked!.key.id);
    appendFileSync(join(from, 'api-keys.jsonl'), '{"record":"key","id":"cut sho');
    mkdirSync(join(from, 'spool'), { recursive: true, mode: 0o700 });
    const at = '2026-01-01T00:00:00.000Z';
    const session = { id: 'one', user_id: 'me', account_id: 'local', created_at: at };
    const line = renderLine({ session, message: { id: 'm1', role: 'user', content: 'x', timestamp: at } });
    writeFileSync(join(from, 'spool/spool-1.jsonl'), line, { mode: 0o600 });
    const store = join(folder, 'store');
    expect(await runJson('migrate', '--from', store, '--to', join(folder, 'new'))).toMatchObject({
      is_whole: true,
      api_keys: 2,
      waiting_messages: 1,
    });
    expect(statSync(join(to, 'api-keys.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(to).mode & 0o777).toBe(0o700);
    const keys = keysIn(to);
    expect(await keys.verify(living!.token)).toMatchObject({ label: 'number 0' });
    expect(await keys.verify(revoked!.token)).toBeUndefined();
    expect(readFileSync(join(to, 'spool/spool-1.jsonl'), 'utf8')).toBe(line);
    expect((await runCli('verify', '--storage-root', join(folder, 'new'))).exitCode).toBe(0);
  });

  it('keeps notes with their versions', async () => {
    await add('Something');
    expect((await runCli('notes', ...store)).stderr).toContain('no notes yet');
    await runCli('notes', 'replace', 'First.', ...store);
    await runCli('notes', 'append', 'Second.', ...store);
    expect((await runCli('notes', ...store)).stdout).toBe('First.\nSecond.\n');
    expect((await runCli('notes', 'history', ...store)).stdout.trim().split('\n')).toHaveLength(2);
    expect((await runCli('notes', 'diff', '1', ...store)).stdout).toContain('+Second.');
    await runCli('notes', 'restore', '1', ...store);
    expect(await runJson('notes', 'show', ...store)).toMatchObject({ text: 'First.', version: 3 });
    expect((await runCli('notes', 'restore', '99', ...store)).exitCode).toBe(3);
  });
});

describe('help as JSON', () => {
  it('has every setting, and no secrets', async () => {
    const { settings } = await runJson<{ settings: Record<string, unknown>[] }>('help', 'settings');
    expect(settings.map(({ path }) => path)).toEqual(SETTINGS.map(({ path }) => path));
    expect(settings[1]).toEqual({
      section: 'Address',
      path: 'port',
      flag: '--port',
      environment: 'LONGHAND_PORT',
      summary: SETTINGS[1]!.summary,
      takes: '0…65535',
      choices: null,
      default: 4750,
      store_key: null,
      is_switch: false,
      is_secret: false,
    });
  });

  it('has every command, and all about one', async () => {
    const { commands } = await runJson<{ commands: { name: string }[] }>('help');
    expect(commands.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name));
    const page = await runJson<{ options: { name: string }[] }>('help', 'search');
    expect(page).toEqual(await runJson('search', '--help'));
    expect(page).toMatchObject({ name: 'search', summary: expect.any(String), examples: expect.any(Array) });
    expect(page.options.map(({ name }) => name)).toEqual(expect.arrayContaining(['explain', 'user', 'json']));
  });
});

describe('completion', () => {
  it('knows commands and options in bash', () => {
    const complete = (...words: readonly string[]): string[] => {
      const script = `${completionFor('bash', ALL_COMMANDS)}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _longhand; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
    };
    expect(complete('longhand', 'se')).toEqual(['serve', 'search', 'sessions']);
    expect(complete('longhand', 'search', '--exp')).toEqual(['--explain']);
    expect(complete('longhand', 'add', '--type', 'pre')).toEqual(['preference']);
    expect(complete('longhand', 'notes', 'his')).toEqual(['history']);
    expect(complete('longhand', 'notes', '')).toEqual([
      ...['show', 'search', 'append', 'replace', 'history', 'diff', 'restore'],
    ]);
    expect(complete('longhand', 'keys', '--storage-root', 'list', '')).toEqual([
      ...['list', 'create', 'revoke', 'end-sessions'],
    ]);
    expect(complete('longhand', 'keys', '--json', 'cr')).toEqual(['create']);
    expect(complete('longhand', 'keys', 'create', 'li')).toEqual(['']);
    expect(complete('longhand', 'serve', '--no-')).toEqual([
      ...['--no-semantic', '--no-summary-enabled', '--no-auth-enabled'],
    ]);
    expect(complete('longhand', 'serve', '--durability', '')).toEqual(['buffered', 'group', 'strict']);
    expect(complete('longhand', 'search', '-t', 'dec')).toEqual(['decision']);
    expect(complete('longhand', 'hel')).toEqual(['help']);
    expect(complete('longhand', 'keys', '--durability', 'strict', 'cr')).toEqual(['create']);
    expect(complete('longhand', 'add', '--')).toEqual(
      'type tag importance reference id user agent session account json help config storage-root database-url'
        .split(' ')
        .map((name) => `--${name}`),
    );
    expect(complete('longhand', 'help', 'se')).toEqual(['serve', 'search', 'sessions', 'settings']);
  });

  it('is quiet in fish, which has no second word before it is typed', () => {
    const script = completionFor('fish', ALL_COMMANDS);
    expect(script).not.toMatch(/\(commandline[^)]*\)\[/);
    expect(script).toContain('test "$words[2]" = $argv[1]');
    const complete = (line: string): { readonly words: readonly string[]; readonly stderr: string } => {
      const run = spawnSync('fish', ['--no-config', '-c', `${script}\ncomplete -C '${line}'`], {
        encoding: 'utf8',
      });
      return {
        words: run.stdout.split('\n').flatMap((word) => word.split('\t')[0] || []),
        stderr: run.stderr,
      };
    };
    // Where fish is installed, it is tried for real.
    if (spawnSync('fish', ['--version']).error !== undefined) return;
    expect(complete('longhand se')).toEqual({ words: ['search', 'serve', 'sessions'], stderr: '' });
    expect(complete('longhand search --exp')).toEqual({ words: ['--explain'], stderr: '' });
    expect(complete('longhand keys cr')).toEqual({ words: ['create'], stderr: '' });
  });

  it('names every command and option for every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await runCli('completion', shell);
      expect(stdout).toContain(HELP_COMMAND.summary.slice(0, shell === 'bash' ? 0 : undefined));
      expect(stdout).toContain(`${COMMANDS.at(-1)!.name} settings`);
      expect(stdout).toContain('list create revoke');
      for (const { flag, type } of SETTINGS)
        if (allows(type, true)) expect(stdout).toContain(shell === 'fish' ? `-l no-${flag}` : `--no-${flag}`);
      for (const command of COMMANDS) {
        expect(stdout).toContain(command.name);
        for (const { name } of meaningfulOptionsOf(command))
          expect(stdout).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`);
      }
    }
  });
});
