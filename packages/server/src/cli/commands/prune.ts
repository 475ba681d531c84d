import type { PruneReport } from 'longhand';
import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted, type Output, plain } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';

export const prune: CommandRun = async ({ config, context, values, output, signal }) => {
  const { openExisting } = await import('../../open-store.ts');
  await using manager = await openExisting(config, { accountId: context.identity.account_id });
  using bar = new ProgressBar(output, 'Pruning', 'sessions');
  const report = await manager.prune({
    dryRun: values.isOn('dry-run'),
    signal,
    onProgress: (done, total) => bar.update(done, total),
  });
  bar.end();
  if (output.isJson) output.json(report);
  else show(output, report);
  if (report.is_claimed) return EXIT.busy;
  return report.failed.length === 0 ? EXIT.done : EXIT.failed;
};

function show(output: Output, { dry_run, is_claimed, sessions, failed, ...all }: PruneReport): void {
  for (const { session_id, oldest, ...pieces } of sessions) {
    const since = output.dim(`the oldest of ${oldest.slice(0, 10)}`);
    output.line(`${plain(session_id)}  ${inWords(pieces)}  ${since}`);
  }
  for (const { session_id, code } of failed)
    output.warning(`${plain(session_id)} could not be pruned: ${code}.`);
  const verb = dry_run ? 'Would remove' : 'Removed';
  if (is_claimed) output.warning('Another process is pruning this store at the moment.');
  else if (sessions.length === 0) output.note('Nothing has been kept for longer than the settings say.');
  else output.note(`${verb} ${inWords(all)} from ${counted(sessions.length, 'session')}.`);
}

function inWords({ messages, details }: Pick<PruneReport, 'messages' | 'details'>): string {
  return `${counted(messages, 'message')} and ${counted(details, 'detail')}`;
}
