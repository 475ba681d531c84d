import { LonghandError } from 'longhand';
import { loadConfig } from '../config/load-config.ts';
import { localIdentity } from '../config/local-principal.ts';
import { nearestOf } from '../config/nearest-name.ts';
import { ConfigError } from '../config/server-config.ts';
import { unknownVariables } from '../config/unknown-variables.ts';
import { hasCode } from '../has-code.ts';
import { OperationError } from '../operations/operation-error.ts';
import { VERSION } from '../version.ts';
import { type Command, type CommandCall, UsageError } from './command.ts';
import { CommandContext } from './command-context.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { explainFileTrouble, isFileTrouble } from './file-trouble.ts';
import { HELP_COMMAND, SETTINGS_TOPIC, showCommandHelp, showHelp, showSettingsHelp } from './help.ts';
import { counted, Output, type OutputStreams, plain } from './output.ts';
import { optionFor, parseCommandLine } from './parse-command-line.ts';

/** Runs one command line, and gives the code that the process should end with. */
export async function main(
  args: readonly string[],
  options: { readonly streams?: OutputStreams; readonly signal?: AbortSignal } = {},
): Promise<number> {
  const streams = options.streams ?? { stdout: process.stdout, stderr: process.stderr };
  const signal = options.signal ?? new AbortController().signal;
  const [name, ...rest] = args;
  // Behind -- come the words of another command.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const output = new Output(streams, own.includes('--json'));
  try {
    return await dispatch(name, rest, output, signal);
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    return report(error, name, output);
  }
}

/** What works whatever the settings are, and is therefore not in the table of commands. Options of these names mean the same. */
const WITHOUT_SETTINGS = ['help', 'version'];

async function dispatch(
  name: string | undefined,
  args: readonly string[],
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const topic = args.find((word) => word !== '--json');
    if (topic === undefined || WITHOUT_SETTINGS.includes(topic)) showHelp(output);
    else if (topic === SETTINGS_TOPIC) showSettingsHelp(output);
    else showCommandHelp(commandNamed(topic), output);
    return EXIT.done;
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    output.line(VERSION);
    return EXIT.done;
  }
  const command = commandNamed(name);
  const { values, positionals, settings } = parseCommandLine(command, args);
  if (values.isOn('help')) {
    showCommandHelp(command, output);
    return EXIT.done;
  }
  const config = loadConfig({ flags: settings });
  for (const sentence of unknownVariables()) output.warning(sentence);
  const identity = localIdentity({
    account: values.text('account'),
    user: values.text('user'),
    agent: values.text('agent'),
    session: values.text('session'),
  });
  if (needsStore(command, positionals)) await (await import('../open-store.ts')).refuseMissingStore(config);
  await using context = new CommandContext(config, identity);
  const run = await command.load();
  const commands = [...COMMANDS, HELP_COMMAND];
  const call: CommandCall = { command, values, positionals, output, commands, signal, config, context };
  try {
    return (await run(call)) ?? EXIT.done;
  } finally {
    const { damagedLines, unreadableSessions } = context;
    if (unreadableSessions.length > 0)
      output.warning(
        `${leftOut(unreadableSessions.map(plain))} longhand verify says why, and how to repair it.`,
      );
    if (damagedLines > 0)
      output.warning(
        `${counted(damagedLines, 'damaged line')} skipped. longhand verify says where, and how to repair it.`,
      );
  }
}

function leftOut(sessions: readonly string[]): string {
  if (sessions.length === 1) return `Session ${sessions[0]} cannot be read, and is left out.`;
  return `${sessions.length} sessions cannot be read, and are left out: ${sessions.join(', ')}.`;
}

function needsStore({ needsStore: needs }: Command, [action]: readonly string[]): boolean {
  if (needs === undefined || needs === true) return needs === true;
  return action === undefined || !needs.unless.includes(action);
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return command;
  if (name.startsWith('-')) throw new UsageError(explainLeadingOption(name));
  const nearest = nearestOf(name, [...COMMANDS.map((one) => one.name), ...WITHOUT_SETTINGS, SETTINGS_TOPIC]);
  const meant = nearest === SETTINGS_TOPIC ? `longhand help ${SETTINGS_TOPIC}` : nearest;
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new UsageError(`There is no command ${JSON.stringify(name)}.${hint}`);
}

/** Of what may stand where the command does, only these two are options. */
function explainLeadingOption(given: string): string {
  const nearest = nearestOf(given.replace(/^-+/, ''), WITHOUT_SETTINGS);
  if (nearest !== undefined) return `There is no option ${given} here. Did you mean --${nearest}?`;
  return `The command comes first, and then its options: longhand <command> ${given}.`;
}

/** Says what went wrong. With `--json` also as a value, so that a program need not read sentences. */
function report(error: unknown, name: string | undefined, output: Output): ExitCode {
  const message = withOption(messageOf(error), fieldOf(error), name);
  const code = LonghandError.isInstance(error) ? error.code : codeOf(error);
  output.problem(message);
  if (output.isJson) output.json({ error: message, code });
  if (error instanceof UsageError) {
    const page = COMMANDS.some((one) => one.name === name) ? `longhand ${name} --help` : 'longhand --help';
    output.note(`See ${page}.`);
  }
  return exitCodeOf(error);
}

function fieldOf(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.field;
  const field = LonghandError.isInstance(error) ? error.details.field : undefined;
  return typeof field === 'string' ? field : undefined;
}

function withOption(message: string, field: string | undefined, name: string | undefined): string {
  const command = COMMANDS.find((one) => one.name === name);
  const option = command === undefined || field === undefined ? undefined : optionFor(field, command);
  if (option === undefined) return message;
  return message
    .split(' ')
    .map((word) => (word === field ? `--${option}` : word))
    .join(' ');
}

function messageOf(error: unknown): string {
  if (isFileTrouble(error)) return explainFileTrouble(error);
  // Commands create a session when they first write to it, so the advice to create one does not apply.
  if (hasCode(error, 'SESSION_NOT_FOUND') && 'session' in error.details)
    return `There is no session ${error.details.session}. longhand sessions lists the existing ones.`;
  // A setting has another name here than in the library.
  if (hasCode(error, 'SESSION_FULL'))
    return error.message.replace('raise max_session_size_mb', 'raise --max-session-size-mb');
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string {
  if (isFileTrouble(error)) return 'STORAGE_ROOT_UNUSABLE';
  if (error instanceof OperationError || error instanceof UsageError) return error.code;
  return error instanceof ConfigError ? 'CONFIG' : 'FAILED';
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  if (error instanceof OperationError && error.code === 'KEY_NOT_FOUND') return EXIT.notFound;
  // A folder or file that the system refuses, met before the store was.
  if (!LonghandError.isInstance(error)) return isFileTrouble(error) ? EXIT.storage : EXIT.failed;
  return EXIT_OF_KIND[error.name] ?? EXIT.failed;
}

const EXIT_OF_KIND: Readonly<Record<string, ExitCode>> = {
  ValidationError: EXIT.usage,
  NotFoundError: EXIT.notFound,
  ConcurrencyError: EXIT.busy,
  IOError: EXIT.storage,
  SizeLimitError: EXIT.storage,
};
