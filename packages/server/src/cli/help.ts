import { allows } from '../config/rules.ts';
import { defaultOf, SETTING_SECTIONS, SETTINGS, type Setting } from '../config/settings.ts';
import { VERSION } from '../version.ts';
import type { Command, CommandOption, CommandWords } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { type Output, widthOf, wrap } from './output.ts';
import { COMMON_OPTIONS, CONFIG_OPTION, identityOptionsOf } from './parse-command-line.ts';

/** The page of `longhand --help`. */
export function showHelp(output: Output): void {
  if (output.isJson) {
    output.json({
      version: VERSION,
      commands: COMMANDS.map(({ name, summary }) => ({ name, summary })),
      exit_codes: EXIT_MEANINGS.map(([code, meaning]) => ({ code, meaning })),
    });
    return;
  }
  output.sentence(
    `${output.bold('longhand')} ${VERSION}: a memory for AI agents, written where people can read it`,
  );
  output.line();
  heading(output, 'Usage');
  output.line('  longhand <command> [options]');
  output.line();
  heading(output, 'Commands');
  columns(
    output,
    COMMANDS.map(({ name, summary }) => [output.paint('cyan', name), summary]),
  );
  output.line();
  heading(output, 'Exit codes');
  columns(
    output,
    EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
  );
  output.line();
  output.sentence(output.dim('longhand <command> --help tells more about a command.'));
  output.sentence(output.dim('longhand help settings lists what can be set.'));
}

/** What `longhand help` takes beside the names of commands. */
export const SETTINGS_TOPIC = 'settings';

/** `help` as a command. It is not in the table, because it must work whatever the settings are. */
export const HELP_COMMAND: CommandWords = {
  name: 'help',
  summary: 'Explain a command, or list all settings',
  positionals: [
    {
      name: 'topic',
      description: 'A command, or settings',
      isOptional: true,
      choices: [...COMMANDS.map(({ name }) => name), SETTINGS_TOPIC],
    },
  ],
  settings: 'none',
  identity: [],
};

/** The page of `longhand help settings`: every setting, section by section. */
export function showSettingsHelp(output: Output): void {
  if (output.isJson) {
    output.json({
      settings: SETTING_SECTIONS.flatMap(({ title, settings }) =>
        settings.map((setting) => ({
          section: title,
          path: setting.path,
          flag: `--${setting.flag}`,
          environment: setting.environment,
          summary: setting.summary,
          takes: setting.type.takes,
          choices: setting.type.choices ?? null,
          default: defaultOf(setting) ?? null,
          store_key: setting.storeKey ?? null,
          is_switch: allows(setting.type, true),
          is_secret: setting.isSecret ?? false,
        })),
      ),
    });
    return;
  }
  output.sentence(`${output.bold('longhand help settings')}: everything that can be set`);
  output.line();
  output.paragraph(
    'Every command that works on a store takes them as flags. The file longhand.config.yaml and the environment hold the same: --window-max-turns is window.maxTurns in the file and LONGHAND_WINDOW_MAX_TURNS in the environment. Those of OpenAI and Anthropic have the names that are known elsewhere: OPENAI_API_KEY. Keys are better kept there: other users of the machine can see flags in the list of processes. The config.json of a store overrides the defaults of stores, conversations, details and notes.',
  );
  for (const { title, settings } of SETTING_SECTIONS) {
    output.line();
    heading(output, title);
    blocks(
      output,
      settings.map((setting) => [flagOf(setting, output), withDefault(setting)]),
    );
  }
}

/** The page of one command. */
export function showCommandHelp(command: Command, output: Output): void {
  const {
    name,
    summary,
    description,
    positionals = [],
    options = [],
    settings = 'store',
    examples,
  } = command;
  if (output.isJson) {
    const all = [...options, ...COMMON_OPTIONS, ...identityOptionsOf(command)];
    output.json({ name, summary, description, positionals, options: all, settings, examples });
    return;
  }
  output.sentence(`${output.bold(`longhand ${name}`)}: ${summary[0]!.toLowerCase()}${summary.slice(1)}`);
  output.line();
  if (description !== undefined) {
    output.paragraph(description);
    output.line();
  }
  heading(output, 'Usage');
  output.sentence(`  longhand ${[name, ...positionals.map(usageOf), '[options]'].join(' ')}`);
  section(
    output,
    'Arguments',
    positionals.map((one) => [output.paint('cyan', one.name), one.description]),
  );
  optionList(output, 'Options', [...options, ...COMMON_OPTIONS]);
  optionList(output, 'Whose memory', identityOptionsOf(command));
  if (settings !== 'none') settingList(output, settings);
  output.line();
  heading(output, 'Examples');
  for (const example of examples) output.line(`  ${output.dim('$')} ${example}`);
}

function usageOf({ name, isOptional, isRepeated }: NonNullable<Command['positionals']>[number]): string {
  const shown = isRepeated ? `${name}…` : name;
  return isOptional ? `[${shown}]` : `<${shown}>`;
}

function settingList(output: Output, kind: Exclude<Command['settings'], 'none' | undefined>): void {
  const shown = SETTINGS.filter(({ path, oftenSetFor }) =>
    kind === 'store'
      ? path === 'storageRoot' || path === 'databaseUrl'
      : oftenSetFor === 'conversation' || (oftenSetFor === 'server' && kind === 'server'),
  );
  const config = `${output.paint('cyan', `--${CONFIG_OPTION.name}`)} <${CONFIG_OPTION.value}>`;
  section(output, kind === 'store' ? 'Store' : 'Settings, the usual ones', [
    [config, CONFIG_OPTION.description],
    ...shown.map((setting) => [flagOf(setting, output), setting.summary] as const),
  ]);
  output.sentence(output.dim(`  longhand help ${SETTINGS_TOPIC} lists all.`));
}

function flagOf({ flag, type }: Setting, output: Output): string {
  return allows(type, true)
    ? output.paint('cyan', `--[no-]${flag}`)
    : `${output.paint('cyan', `--${flag}`)} <${type.takes}>`;
}

function withDefault(setting: Setting): string {
  const { summary } = setting;
  const value = defaultOf(setting);
  // Some say themselves what holds then.
  if (value === undefined) return summary.includes('when left out') ? summary : `${summary} Default: none`;
  if (typeof value === 'boolean') return `${summary} Default: ${value ? 'on' : 'off'}`;
  return `${summary} Default: ${Array.isArray(value) && value.length === 0 ? 'none' : String(value)}`;
}

function optionList(output: Output, title: string, options: readonly CommandOption[]): void {
  section(
    output,
    title,
    options.map(({ name, short, value, description }) => {
      const names = `${short === undefined ? '    ' : `-${short}, `}--${name}`;
      return [output.paint('cyan', names) + (value === undefined ? '' : ` <${value}>`), description];
    }),
  );
}

function section(output: Output, title: string, rows: readonly (readonly [string, string])[]): void {
  if (rows.length === 0) return;
  output.line();
  heading(output, title);
  columns(output, rows);
}

function heading(output: Output, text: string): void {
  output.line(output.bold(text));
}

/** Names on the left, what they mean on the right, wrapped there. */
function columns(output: Output, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([left]) => widthOf(left)));
  for (const [left, right] of rows) {
    const [first = '', ...rest] = wrap(right, Math.max(20, output.columns - width - 4));
    output.line(`  ${left}${' '.repeat(width - widthOf(left))}  ${first}`);
    for (const line of rest) output.line(' '.repeat(width + 4) + line);
  }
}

/** The same where names are long: all stand beside what they mean, or all above it. */
function blocks(output: Output, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([left]) => widthOf(left)));
  if (rows.every(([, right]) => width + 4 + right.length <= output.columns)) {
    columns(output, rows);
    return;
  }
  for (const [left, right] of rows) {
    output.line(`  ${left}`);
    output.paragraph(right, 6);
  }
}
