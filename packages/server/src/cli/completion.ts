import type { CommandOption, CommandWords } from './command.ts';
import { meaningfulOptionsOf, optionsOf } from './parse-command-line.ts';

/** Completion for shells, made from the table of commands. */
export type Shell = 'bash' | 'zsh' | 'fish';

export function completionFor(shell: Shell, commands: readonly CommandWords[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
  }
}

/** What may stand on its own behind a command: the n-th word, or every word from the last one on when it is repeated. */
function choicesOf({ positionals = [] }: CommandWords): readonly (readonly string[])[] {
  return positionals.map(({ choices = [] }) => choices);
}

/** Every option that is offered, with the form that takes a switch off. */
function formsOf(command: CommandWords): readonly CommandOption[] {
  return meaningfulOptionsOf(command).flatMap((option) =>
    option.isNegatable
      ? [option, { name: `no-${option.name}`, description: `Not: ${option.description}` }]
      : [option],
  );
}

function bash(commands: readonly CommandWords[]): string {
  const cases = commands.map((command) => {
    const options = formsOf(command);
    // What was typed may have a value, offered or not.
    const valued = optionsOf(command).filter(({ value }) => value !== undefined);
    const names = valued.flatMap(({ name, short }) => [
      `--${name}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    const chosen = valued.filter(({ choices }) => choices !== undefined);
    return [
      `  ${command.name})`,
      `    options="${options.map(({ name }) => `--${name}`).join(' ')}"`,
      `    valued="${names.join(' ')}"`,
      ...choicesOf(command).map((choices, place) => `    choices[${place}]="${choices.join(' ')}"`),
      ...(chosen.length === 0
        ? []
        : [
            '    case "$previous" in',
            ...chosen.map(({ name, short, choices }) => {
              const forms = short === undefined ? `--${name}` : `--${name}|-${short}`;
              return `      ${forms}) values="${choices!.join(' ')}" ;;`;
            }),
            '    esac',
          ]),
      '    ;;',
    ].join('\n');
  });
  return `# bash completion for longhand
_longhand() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local options="" valued="" values="" words="" place=0 i
  local -a choices=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ " $valued " == *" \${COMP_WORDS[i]} "* ]]; then ((i++))
    elif [[ "\${COMP_WORDS[i]}" != -* ]]; then ((place++)); fi
  done
  if [[ -n "$values" ]]; then words="$values"
  elif [[ " $valued " == *" $previous "* ]]; then words=""
  elif [[ "$current" == -* ]]; then words="$options"
  else words="\${choices[place]}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -z "$words" ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _longhand longhand
`;
}

function zsh(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map((command) => {
    const specs = formsOf(command).map(zshOption);
    const positionals = (command.positionals ?? []).map((positional) => {
      const action = positional.choices === undefined ? '_files' : `(${positional.choices.join(' ')})`;
      // An optional word would be offered together with what may follow it: where it can be listed, it comes first.
      const isOpen = positional.isOptional && positional.choices === undefined;
      const beginning = positional.isRepeated ? '*:' : isOpen ? '::' : ':';
      return quoted(`${beginning}${positional.name}:${action}`);
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

function fish(commands: readonly CommandWords[]): string {
  const names = commands.map(
    ({ name, summary }) =>
      `complete -c longhand -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  );
  const options = commands.flatMap((command) => [
    ...formsOf(command).map((option) => fishOption(command, option)),
    ...choicesOf(command).flatMap((choices) => (choices.length === 0 ? [] : [fishChoices(command, choices)])),
  ]);
  return `# fish completion for longhand
function __longhand_command
  set -l words (commandline -opc)
  test "$words[2]" = $argv[1]
end
${[...names, ...options].join('\n')}
`;
}

function fishOption(
  command: CommandWords,
  { name, short, value, description, choices }: CommandOption,
): string {
  const parts = [
    `complete -c longhand -n ${quoted(fishCondition(command))}`,
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : ['-r']),
    ...(choices === undefined ? [] : [`-f -a ${quoted(choices.join(' '))}`]),
    `-d ${quoted(description)}`,
  ];
  return parts.join(' ');
}

/** Once one of them is there, something else follows. */
function fishChoices(command: CommandWords, choices: readonly string[]): string {
  const words = choices.join(' ');
  const condition = `${fishCondition(command)}; and not __fish_seen_subcommand_from ${words}`;
  return `complete -c longhand -n ${quoted(condition)} -f -a ${quoted(words)}`;
}

/**
 * Of the word behind `longhand`, and no other: the value of an option may be the name of a command. While the first
 * word is being typed there is none.
 */
function fishCondition({ name }: CommandWords): string {
  return `__longhand_command ${name}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
