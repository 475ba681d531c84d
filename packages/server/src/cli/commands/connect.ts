import { resolve } from 'node:path';
import { type ClientFile, clientPlaces, ownCommand } from '../../config/client-files.ts';
import { LOCAL_DEFAULTS } from '../../config/local-principal.ts';
import { confirm } from '../ask.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { Connections, type Entry, type PlannedChange } from '../connections.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { plain } from '../output.ts';

export const connect: CommandRun = async (call) => {
  const places = clientPlaces();
  const connections = new Connections(places);
  const named = new Set(call.positionals);
  if (call.values.isOn('undo')) {
    const clients = places.clients.filter(({ name }) => named.size === 0 || named.has(name));
    return undo(call, connections, clients);
  }
  const command = commandFor(call, places.defaultRoot);
  const clients = places.clients.filter(({ name, isPresent }) =>
    named.size === 0 ? isPresent : named.has(name),
  );
  if (clients.length === 0) return tellWhereItLooked(call, places.clients, command);
  const changes = connections.plan(clients, command);
  const { output, values } = call;
  const isRehearsal = values.isOn('dry-run');
  for (const client of clients)
    if (!changes.some((change) => change.client === client))
      output.note(`${client.title} is connected already (${plain(client.file)}).`);
  show(call, changes);
  if (changes.length > 0 && !isRehearsal) {
    if (!(await isAgreed(call, `Change ${changes.map(({ client }) => client.title).join(', ')}?`)))
      return EXIT.interrupted;
    for (const change of changes) connections.make(change, command);
    if (!output.isJson) output.line('Done. Restart the clients that are running.');
    output.note('longhand connect --undo takes it back.');
  }
  if (output.isJson) output.json(answer(changes, !isRehearsal));
};

async function undo(
  call: CommandCall,
  connections: Connections,
  clients: readonly ClientFile[],
): Promise<ExitCode | undefined> {
  const { output, values } = call;
  const changes = connections.planUndo(clients);
  const isRehearsal = values.isOn('dry-run');
  if (changes.length === 0) {
    if (output.isJson) output.json(answer([], false));
    output.note('There is nothing to undo.');
    return EXIT.notFound;
  }
  for (const { client, before, after, remark } of changes) {
    if (output.isJson) continue;
    const what =
      before === after ? 'stays as it is' : after === undefined ? 'is removed' : 'is put back as it was';
    output.sentence(`${client.title}: ${plain(client.file)} ${remark === undefined ? what : `(${remark})`}`);
  }
  if (!isRehearsal) {
    if (!(await isAgreed(call, 'Undo?'))) return EXIT.interrupted;
    for (const change of changes) connections.undo(change);
    if (!output.isJson) output.line('Done. Restart the clients that are running.');
  }
  if (output.isJson) output.json(answer(changes, !isRehearsal));
}

/** The folder and the person that were named here hold for the client too. */
function commandFor({ config, context, values }: CommandCall, defaultRoot: string): Entry {
  const { command, args } = ownCommand(import.meta.dirname);
  const { user_id, agent_id, account_id } = context.identity;
  const file = values.text('config');
  const given = (flag: string, value: string, fallback: string): string[] =>
    value === fallback ? [] : [flag, value];
  return {
    command,
    args: [
      ...args,
      ...(config.databaseUrl === undefined
        ? given('--storage-root', config.storageRoot, defaultRoot)
        : ['--database-url', config.databaseUrl]),
      ...given('--user', user_id, LOCAL_DEFAULTS.user_id),
      ...given('--agent', agent_id, LOCAL_DEFAULTS.agent_id),
      ...given('--account', account_id, LOCAL_DEFAULTS.account_id),
      ...(file === undefined ? [] : ['--config', resolve(file)]),
    ],
  };
}

function show({ output }: CommandCall, changes: readonly PlannedChange[]): void {
  if (output.isJson) return;
  for (const { client, before, edit } of changes) {
    output.sentence(
      `${output.bold(client.title)}: ${plain(client.file)}${before === undefined ? ' (new)' : ''}`,
    );
    const lines = (text: string): string[] => plain(text).trim().split(/\r?\n/).filter(Boolean);
    for (const line of lines(edit.removed)) output.sentence(output.paint('red', `- ${line}`));
    for (const line of lines(edit.inserted)) output.sentence(output.paint('green', `+ ${line}`));
    output.line();
  }
}

async function isAgreed({ values, output, signal }: CommandCall, question: string): Promise<boolean> {
  if (values.isOn('yes')) return true;
  if (!output.isInteractive || !process.stdin.isTTY)
    throw new UsageError('There is no terminal to ask on: say --yes, or look first with --dry-run.');
  const isAgreed = await confirm(question, signal);
  if (!isAgreed) output.note('Nothing was changed.');
  return isAgreed;
}

function tellWhereItLooked(
  { output }: CommandCall,
  clients: readonly ClientFile[],
  { command, args }: Entry,
): ExitCode {
  if (output.isJson) output.json(answer([], false));
  output.note('No MCP client was found. Looked for:');
  for (const { title, name, file } of clients) output.note(`  ${title} (${name}): ${plain(file)}`);
  output.note('Name one to connect it all the same, or give your client this entry:');
  const entry = { mcpServers: { longhand: { command, args } } };
  output.note(plain(JSON.stringify(entry, null, 2)));
  return EXIT.notFound;
}

function answer(changes: readonly PlannedChange[], isDone: boolean): unknown {
  return {
    done: isDone && changes.length > 0,
    changes: changes.map(({ client, edit, remark }) => ({
      client: client.name,
      file: client.file,
      removed: edit.removed,
      inserted: edit.inserted,
      ...(remark === undefined ? {} : { remark }),
    })),
  };
}
