import { existsSync } from 'node:fs';
import type { CopyReport, VerifyReport } from 'longhand';
import { configAt } from '../../config/load-config.ts';
import { placeOfStore, type ServerConfig } from '../../config/server-config.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { copyServerState } from '../copy-server-state.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { counted } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';

/** Together: the lists of all sessions are then written once for all of them. */
const REBUILT_AT_ONCE = 100;

export const migrate: CommandRun = async (call) => {
  const { values } = call;
  const [from, to] = [values.text('from'), values.text('to')];
  if ((from === undefined) !== (to === undefined)) throw new UsageError('--from and --to belong together.');
  if (from !== undefined && to !== undefined) {
    if (values.isOn('schema'))
      throw new UsageError('--schema and --from are two different things: do one first.');
    return move(call, configAt(call.config, from, '--from'), configAt(call.config, to, '--to'));
  }
  if (!values.isOn('schema')) throw new UsageError('Say --schema, or --from and --to.');
  return lift(call);
};

async function lift({ config, output, signal }: CommandCall): Promise<ExitCode> {
  const { openExisting } = await import('../../open-store.ts');
  await using manager = await openExisting(config);
  using bar = new ProgressBar(output, 'Migrating', 'sessions');
  const { migrated, failed } = await manager.migrateSessions(bar.follow(signal));
  bar.end();
  if (output.isJson) output.json({ migrated, failed });
  else if (migrated.length === 0) output.line('Every session has the current format.');
  else output.line(`Upgraded ${counted(migrated.length, 'session')} to the current format.`);
  for (const { session_id, code } of failed) output.line(`Could not upgrade ${session_id}: ${code}.`);
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

async function move(call: CommandCall, source: ServerConfig, target: ServerConfig): Promise<ExitCode> {
  const { output } = call;
  const [from, to] = [placeOfStore(source), placeOfStore(target)];
  if (from === to) throw new UsageError('--from and --to name the same store.');
  if (source.databaseUrl === undefined && !existsSync(from))
    throw new UsageError(`There is no folder ${from}.`);
  const report = await copyAll(call, source, target);
  const { account_id: named } = call.context.identity;
  const isNothing = report.sessions + report.agents + report.notes === 0;
  if (source.databaseUrl !== undefined && isNothing)
    throw new UsageError(`${from} holds nothing of the account ${named}. Name another with --account.`);
  // The server of a folder serves one account.
  const served = report.accounts.includes(named) ? named : report.accounts[0]!;
  const state = await copyServerState(source, target, served);
  const damage: VerifyReport['damage'][number][] = [];
  for (const accountId of report.accounts) damage.push(...(await checked(call, target, accountId)));
  const isWhole = report.changed.length === 0 && report.damaged_lines === 0 && damage.length === 0;
  if (output.isJson) output.json({ from, to, is_whole: isWhole, ...report, ...state });
  else tell(call, to, report, state);
  if (!output.isJson) output.note(`${from} is as it was; remove it when you are sure.`);
  for (const place of report.changed)
    output.warning(`${place} was written to meanwhile: stop the others and run the same command again.`);
  if (report.damaged_lines > 0)
    output.warning(`${counted(report.damaged_lines, 'damaged line')} stayed behind.`);
  if (damage.length > 0) output.warning('The new store is damaged; see longhand verify.');
  return isWhole ? EXIT.done : EXIT.failed;
}

/** A copy that was killed resumes where it stopped; what the target has already is not copied again. */
async function copyAll(
  { context, output, signal }: CommandCall,
  source: ServerConfig,
  target: ServerConfig,
): Promise<CopyReport> {
  const { openExisting, openTarget } = await import('../../open-store.ts');
  const accountId = context.identity.account_id;
  // Stays as it is: what has had its time is not removed meanwhile.
  const asItIs = { ...source, retention: { ...source.retention, intervalMinutes: 0 } };
  await using manager = await openExisting(asItIs, { accountId });
  const stores = await openTarget(target);
  using bar = new ProgressBar(output, 'Copying', 'logs');
  try {
    return await (await manager.layers()).copyTo(stores.of, bar.follow(signal));
  } finally {
    bar.end();
    await stores.close();
  }
}

/** What is made from the logs, the new store makes for itself. */
async function checked(
  { output, signal }: CommandCall,
  target: ServerConfig,
  accountId: string,
): Promise<VerifyReport['damage']> {
  const { openManager } = await import('../../open-store.ts');
  await using manager = await openManager(target, { accountId });
  // A database keeps no files that people read.
  const sessions = target.databaseUrl === undefined ? await manager.listSessions() : [];
  using files = new ProgressBar(output, 'Writing readable files', 'sessions');
  for (let at = 0; at < sessions.length; at += REBUILT_AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(sessions.slice(at, at + REBUILT_AT_ONCE).map(({ id }) => manager.rebuildIndex(id)));
    files.update(at, sessions.length);
  }
  files.end();
  using bar = new ProgressBar(output, 'Checking', 'logs');
  const { damage } = await manager.verify(bar.follow(signal));
  bar.end();
  return damage;
}

function tell(
  { output }: CommandCall,
  to: string,
  report: CopyReport,
  state: Awaited<ReturnType<typeof copyServerState>>,
): void {
  const { sessions, agents, notes, details, accounts, already_there } = report;
  output.line(
    `Copied ${counted(sessions, 'session')}, ${counted(agents, 'agent')}, ${counted(notes, 'document of notes', 'documents of notes')} and ${counted(details, 'detail')} to ${to}.`,
  );
  if (accounts.length > 1) output.line(`They belong to the accounts ${accounts.join(', ')}.`);
  if (already_there > 0)
    output.line(`${counted(already_there, 'record')} of them were there from an earlier try.`);
  const { api_keys, waiting_messages } = state;
  if (api_keys > 0) output.line(`Copied ${counted(api_keys, 'API key')}.`);
  if (waiting_messages > 0)
    output.line(
      `Copied ${counted(waiting_messages, 'message')} that wait to be archived; the next server there archives them.`,
    );
}
