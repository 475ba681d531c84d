import { flagsOfConfig } from '../config/load-config.ts';
import { VERSION } from '../version.ts';
import type { Command, CommandOption } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { type Output, wrap } from './output.ts';
import { COMMON_OPTIONS, CONFIG_OPTION, IDENTITY_OPTIONS, optionOfSetting } from './parse-command-line.ts';

/** The page of `longhand --help`. */
export function showHelp(output: Output): void {
  output.line(
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
  output.line(output.dim('longhand <command> --help tells more about a command.'));
}

/** The page of one command. */
export function showCommandHelp(command: Command, output: Output): void {
  const { name, summary, description, positionals = [], options = [], settings, examples } = command;
  output.line(`${output.bold(`longhand ${name}`)}: ${summary[0]!.toLowerCase()}${summary.slice(1)}`);
  output.line();
  if (description !== undefined) {
    output.paragraph(description);
    output.line();
  }
  heading(output, 'Usage');
  output.line(`  longhand ${[name, ...positionals.map(usageOf), '[options]'].join(' ')}`);
  section(
    output,
    'Arguments',
    positionals.map((one) => [output.paint('cyan', one.name), one.description]),
  );
  optionList(output, 'Options', [...options, ...COMMON_OPTIONS]);
  if (command.takesIdentity) optionList(output, 'Whose memory', IDENTITY_OPTIONS);
  if (settings === 'store') optionList(output, 'Store', [CONFIG_OPTION, ...settingsNamed('storage-root')]);
  if (settings === 'all') optionList(output, 'Settings', [CONFIG_OPTION, ...settingsNamed()]);
  output.line();
  heading(output, 'Examples');
  for (const example of examples) output.line(`  ${output.dim('$')} ${example}`);
}

function usageOf({ name, isOptional, isRepeated }: NonNullable<Command['positionals']>[number]): string {
  const shown = isRepeated ? `${name}…` : name;
  return isOptional ? `[${shown}]` : `<${shown}>`;
}

function settingsNamed(flag?: string): readonly CommandOption[] {
  return flagsOfConfig()
    .filter((setting) => flag === undefined || setting.flag === flag)
    .map(optionOfSetting);
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
  const width = Math.max(...rows.map(([left]) => visible(left)));
  for (const [left, right] of rows) {
    const [first = '', ...rest] = wrap(right, Math.max(20, output.columns - width - 4));
    output.line(`  ${left}${' '.repeat(width - visible(left))}  ${first}`);
    for (const line of rest) output.line(' '.repeat(width + 4) + line);
  }
}

function visible(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape.
  return text.replaceAll(/\u001b\[\d+m/g, '').length;
}
