import type { Command, CommandOption } from './command.ts';
import { COMMANDS } from './commands.ts';
import { HELP_COMMAND } from './help.ts';
import { optionsOf } from './parse-command-line.ts';

/** Completion for shells, made from the table of commands. */
export type Shell = 'bash' | 'zsh' | 'fish';

type Completed = Pick<Command, 'name' | 'summary' | 'positionals' | 'options' | 'settings' | 'takesIdentity'>;
const COMPLETED: readonly Completed[] = [...COMMANDS, HELP_COMMAND];

export function completionFor(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bash();
    case 'zsh':
      return zsh();
    case 'fish':
      return fish();
  }
}

function bash(): string {
  const cases = COMPLETED.map((command) => {
    const choices = (command.positionals ?? []).flatMap((positional) => positional.choices ?? []);
    const words = [...optionsOf(command).map(({ name }) => `--${name}`), ...choices];
    const values = optionsOf(command)
      .filter((option) => option.choices !== undefined)
      .map(({ name, choices: values }) => `      --${name}) words="${values!.join(' ')}" ;;`);
    return [
      `  ${command.name})`,
      `    words="${words.join(' ')}"`,
      ...(values.length === 0 ? [] : ['    case "$previous" in', ...values, '    esac']),
      '    ;;',
    ].join('\n');
  });
  return `# bash completion for longhand
_longhand() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMPLETED.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _longhand longhand
`;
}

function zsh(): string {
  const names = COMPLETED.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = COMPLETED.map((command) => {
    const specs = optionsOf(command).map(zshOption);
    const positionals = (command.positionals ?? []).map((positional) => {
      const action = positional.choices === undefined ? '_files' : `(${positional.choices.join(' ')})`;
      return quoted(`${positional.isRepeated ? '*' : ''}:${positional.name}:${action}`);
    });
    return `    ${command.name})\n      _arguments ${[...specs, ...positionals].join(' ')}\n      ;;`;
  });
  return `#compdef longhand
_longhand() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _longhand longhand
`;
}

function zshOption({ name, value, description, choices, isRepeated }: CommandOption): string {
  const action = choices === undefined ? '_files' : `(${choices.join(' ')})`;
  const argument = value === undefined ? '' : `:${escaped(value)}:${action}`;
  return quoted(`${isRepeated ? '*' : ''}--${name}[${escaped(description)}]${argument}`);
}

/** Brackets and colons end a part of a specification. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function fish(): string {
  const commands = COMPLETED.map(
    ({ name, summary }) =>
      `complete -c longhand -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  );
  const options = COMPLETED.flatMap((command) => [
    ...optionsOf(command).map((option) => fishOption(command, option)),
    ...(command.positionals ?? []).flatMap(({ choices }) =>
      choices === undefined ? [] : [`${fishCondition(command)} -f -a ${quoted(choices.join(' '))}`],
    ),
  ]);
  return `# fish completion for longhand\n${[...commands, ...options].join('\n')}\n`;
}

function fishOption(command: Completed, { name, short, value, description, choices }: CommandOption): string {
  const parts = [
    fishCondition(command),
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : ['-r']),
    ...(choices === undefined ? [] : [`-f -a ${quoted(choices.join(' '))}`]),
    `-d ${quoted(description)}`,
  ];
  return parts.join(' ');
}

function fishCondition({ name }: Completed): string {
  return `complete -c longhand -n '__fish_seen_subcommand_from ${name}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
