import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { counted } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';

export const migrate: CommandRun = async (call) => {
  const { values } = call;
  const [from, to] = [values.text('from'), values.text('to')];
  if ((from === undefined) !== (to === undefined)) throw new UsageError('--from and --to belong together.');
  if (from !== undefined && to !== undefined) {
    if (values.isOn('schema'))
      throw new UsageError('--schema and --from are two different things: do one first.');
    return move(call, folderOf(from, '--from'), folderOf(to, '--to'));
  }
  if (!values.isOn('schema')) throw new UsageError('Say --schema, or --from and --to.');
  return lift(call);
};

async function lift({ config, output, signal }: CommandCall): Promise<ExitCode> {
  const { openExisting } = await import('../../open-store.ts');
  await using manager = await openExisting(config);
  using bar = new ProgressBar(output, 'Migrating', 'sessions');
  const { migrated, failed } = await manager.migrateSessions((done, total) => {
    signal.throwIfAborted();
    bar.update(done, total);
  });
  bar.end();
  if (output.isJson) output.json({ migrated, failed });
  else if (migrated.length === 0) output.line('Every session has the present format.');
  else output.line(`Lifted ${counted(migrated.length, 'session')} to the present format.`);
  for (const { session_id, code } of failed) output.line(`Could not lift ${session_id}: ${code}.`);
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

async function move({ config, output, signal }: CommandCall, from: string, to: string): Promise<ExitCode> {
  if (from === to) throw new UsageError('--from and --to are the same folder.');
  if (!existsSync(from)) throw new UsageError(`There is no folder ${from}.`);
  const [{ copyStore }, { openFolder, openManager }] = await Promise.all([
    import('../copy-store.ts'),
    import('../../open-store.ts'),
  ]);
  const [source, target] = [openFolder(from), openFolder(to)];
  using bar = new ProgressBar(output, 'Copying', 'logs');
  const report = await (async () => {
    try {
      return await copyStore(source, target, (done, total) => {
        signal.throwIfAborted();
        bar.update(done, total);
      });
    } finally {
      bar.end();
      await source.close();
      await target.close();
    }
  })();
  const [{ copyKeys }, { copySpool }] = await Promise.all([
    import('../../access/copy-keys.ts'),
    import('../../conversation/copy-spool.ts'),
  ]);
  const [oldState, newState] = [join(from, 'server'), join(to, 'server')];
  const state = {
    api_keys: copyKeys(oldState, newState),
    waiting_messages: copySpool(oldState, newState),
  };
  // What is made from the logs, the new store makes for itself.
  await using manager = await openManager({ ...config, storageRoot: to });
  for (const { id } of await manager.listSessions()) await manager.rebuildIndex(id);
  const { damage } = await manager.verify();
  const isWhole = report.changed.length === 0 && report.damaged_lines === 0 && damage.length === 0;
  if (output.isJson) output.json({ from, to, is_whole: isWhole, ...report, ...state });
  else {
    output.line(
      `Copied ${counted(report.sessions, 'session')}, ${counted(report.agents, 'agent')}, ${counted(report.notes, 'document of notes', 'documents of notes')} and ${counted(report.details, 'detail')} to ${to}.`,
    );
    const { api_keys, waiting_messages } = state;
    if (api_keys > 0) output.line(`Copied ${counted(api_keys, 'API key')}.`);
    if (waiting_messages > 0)
      output.line(
        `Copied ${counted(waiting_messages, 'message')} that wait to be archived, which the next server there does.`,
      );
    output.note(`${from} is as it was; remove it when you are sure.`);
  }
  for (const place of report.changed)
    output.warning(`${place} was written to meanwhile: stop the others and begin again in an empty folder.`);
  if (report.damaged_lines > 0)
    output.warning(`${counted(report.damaged_lines, 'damaged line')} stayed behind.`);
  if (damage.length > 0) output.warning('The new store is damaged; see longhand verify.');
  return isWhole ? EXIT.done : EXIT.failed;
}

/** `file:` and plain paths. Databases are named by addresses, and cannot be moved to yet. */
function folderOf(store: string, option: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(store) ?? [];
  if (scheme === undefined) return resolve(store);
  if (scheme === 'file') return resolve(store.replace(/^file:(\/\/)?/, ''));
  throw new UsageError(
    `${option} must be a folder: stores of the kind ${scheme} cannot be moved from or to yet.`,
  );
}
