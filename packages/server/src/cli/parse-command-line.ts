import { parseArgs } from 'node:util';
import { flagsOfConfig } from '../config/load-config.ts';
import { nearestOf } from '../config/nearest-name.ts';
import { allows } from '../config/rules.ts';
import type { Setting } from '../config/settings.ts';
import {
  type Command,
  type CommandOption,
  CommandValues,
  type IdentityOption,
  UsageError,
} from './command.ts';

/** Options that every command has. */
export const COMMON_OPTIONS: readonly CommandOption[] = [
  { name: 'json', description: 'Print the result as JSON' },
  { name: 'help', short: 'h', description: 'Show this page' },
];

const IDENTITY_OPTIONS: Readonly<Record<IdentityOption, CommandOption>> = {
  user: { name: 'user', value: 'name', description: 'Whose memory (me)' },
  agent: { name: 'agent', value: 'name', description: 'Which agent (default)' },
  session: { name: 'session', short: 's', value: 'id', description: 'Which session (one for each day)' },
  account: { name: 'account', value: 'name', description: 'Which account (local)' },
};

/** Of the options that say whose memory is meant, those that the command takes. */
export function identityOptionsOf({
  identity,
  sessionDefault,
}: Pick<Command, 'identity' | 'sessionDefault'>): readonly CommandOption[] {
  return identity.map((name) => {
    const option = IDENTITY_OPTIONS[name];
    if (name !== 'session' || sessionDefault === undefined) return option;
    return { ...option, description: `Which session (${sessionDefault})` };
  });
}

export const CONFIG_OPTION: CommandOption = {
  name: 'config',
  value: 'file',
  description: 'The configuration file (longhand.config.yaml)',
};

interface ParsedCommandLine {
  readonly values: CommandValues;
  readonly positionals: readonly string[];
  /** The settings among the options, as `loadConfig` takes them. */
  readonly settings: Readonly<Record<string, unknown>>;
}

type Takes = Pick<Command, 'options' | 'identity' | 'sessionDefault' | 'settings'>;

/** Everything that may be said after the command's name. */
export function optionsOf(command: Takes): readonly CommandOption[] {
  return command.settings === 'none'
    ? ownOptionsOf(command)
    : [...ownOptionsOf(command), CONFIG_OPTION, ...flagsOfConfig().map(optionOfSetting)];
}

/** Of these, what means something for it: a command that only opens the store takes every setting, and needs one. */
export function meaningfulOptionsOf(command: Takes): readonly CommandOption[] {
  if (command.settings !== undefined && command.settings !== 'store') return optionsOf(command);
  const store = flagsOfConfig().filter(({ path }) => path === 'storageRoot' || path === 'databaseUrl');
  return [...ownOptionsOf(command), CONFIG_OPTION, ...store.map(optionOfSetting)];
}

/** Options that are called otherwise than the field that they fill. */
const OTHERWISE: Readonly<Record<string, string>> = { 'sort-by': 'sort' };

/** The name of the option that fills a field of an operation or a query: `min-importance`, and `tag` for `tags.include`. */
export function optionFor(field: string, command: Takes): string | undefined {
  const [first = ''] = field.split('.');
  const name = first.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = new Set(optionsOf(command).map((option) => option.name));
  return [name, OTHERWISE[name] ?? name, name.replace(/s$/, '')].find((one) => names.has(one));
}

function ownOptionsOf(command: Takes): readonly CommandOption[] {
  return [...(command.options ?? []), ...identityOptionsOf(command), ...COMMON_OPTIONS];
}

function optionOfSetting({ flag, type, summary }: Setting): CommandOption {
  const { choices } = type;
  return {
    name: flag,
    description: summary,
    ...(allows(type, true) ? { isNegatable: true } : { value: 'value' }),
    ...(choices === undefined ? {} : { choices }),
  };
}

/** @throws UsageError */
export function parseCommandLine(command: Command, args: readonly string[]): ParsedCommandLine {
  const options = optionsOf(command);
  const { values, positionals } = parse(command, options, args);
  for (const { name, choices, takesOthers } of options) {
    if (takesOthers) continue;
    const given = values[name];
    const wrong =
      choices && [given].flat().find((value) => value !== undefined && !choices.includes(String(value)));
    if (wrong !== undefined)
      throw new UsageError(`--${name} must be one of ${choices!.join(', ')}, not ${wrong}.`);
  }
  if (values.help !== true) checkPositionals(command, positionals);
  const names = new Set(
    command.settings === 'none' ? [] : ['config', ...flagsOfConfig().map(({ flag }) => flag)],
  );
  return {
    values: new CommandValues(values),
    positionals,
    settings: Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name))),
  };
}

function parse(
  command: Command,
  options: readonly CommandOption[],
  args: readonly string[],
): { readonly values: Record<string, unknown>; readonly positionals: string[] } {
  try {
    const end = args.includes('--') ? args.indexOf('--') : args.length;
    const isRoot = /^--root(?==|$)/;
    return parseArgs({
      args: args.map((arg, i) => (i < end ? arg.replace(isRoot, '--storage-root') : arg)),
      allowPositionals: true,
      allowNegative: true,
      options: Object.fromEntries(
        options.map(({ name, value, short, isRepeated }) => [
          name,
          {
            type: value === undefined ? ('boolean' as const) : ('string' as const),
            ...(short === undefined ? {} : { short }),
            ...(isRepeated ? { multiple: true } : {}),
          },
        ]),
      ),
    });
  } catch (error) {
    throw new UsageError(explain(error as Error & { readonly code?: string }, command, options));
  }
}

/** What other programs call the same. */
const OTHER_WORDS: Readonly<Record<string, string>> = { preview: 'dry-run', force: 'yes', all: 'everything' };

/** What Node says of options is meant for programmers. */
function explain(
  error: Error & { readonly code?: string },
  { name }: Command,
  options: readonly CommandOption[],
): string {
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const given = /'(-[^']*)'/.exec(error.message)?.[1] ?? '';
    if (given === '--agent')
      return `${name} takes no --agent: it is about what all agents of the user wrote.`;
    const word = given.replace(/^-+/, '');
    const names = options.map((option) => option.name);
    const nearest = nearestOf(OTHER_WORDS[word] ?? word, names);
    if (name === 'run')
      return `run has no option ${given}. Options of the command come behind --: longhand run -- COMMAND ${given}.`;
    const hint = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
    return `${name} has no option ${given}.${hint}`;
  }
  const option = /'(?:-\w, )?(--[^\s'=]+)/.exec(error.message)?.[1] ?? 'An option';
  if (/argument missing/.test(error.message)) return `${option} needs a value.`;
  if (/ambiguous/.test(error.message))
    return `${option} needs a value. One that begins with a hyphen is written with an equals sign: ${option}=-….`;
  if (/does not take an argument/.test(error.message)) return `${option} takes no value.`;
  return error.message;
}

function checkPositionals({ name, positionals = [] }: Command, given: readonly string[]): void {
  const missing = positionals.find(({ isOptional }, i) => !isOptional && given[i] === undefined);
  if (missing !== undefined) {
    const article = /^[aeiou]/.test(missing.name) ? 'an' : 'a';
    throw new UsageError(`${name} needs ${article} ${missing.name}.`);
  }
  const takesMore = positionals.at(-1)?.isRepeated === true;
  if (!takesMore && given.length > positionals.length) {
    throw new UsageError(`${name} does not take ${JSON.stringify(given[positionals.length])}.`);
  }
  for (const [i, { choices, name: what, isRepeated }] of positionals.entries()) {
    const values = isRepeated ? given.slice(i) : given.slice(i, i + 1);
    const value = choices && values.find((one) => !choices.includes(one));
    if (value !== undefined && choices !== undefined) {
      throw new UsageError(`The ${what} must be one of ${choices.join(', ')}, not ${value}.`);
    }
  }
}
