import type { CompactionReport } from 'longhand';
import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted, sizeInWords } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { sessionsOf } from '../sessions-of.ts';

export const compact: CommandRun = async (call) => {
  const { values, output, workplace, signal } = call;
  const isRehearsal = values.isOn('dry-run');
  const ids = await sessionsOf(call);
  using bar = new ProgressBar(output, 'Compacting', 'sessions');
  const reports: CompactionReport[] = [];
  bar.update(0, ids.length);
  for (const session_id of ids) {
    signal.throwIfAborted();
    reports.push(
      await workplace.run<CompactionReport>('compactSession', {
        session_id,
        dry_run: isRehearsal,
        drop_faded: values.isOn('drop-faded'),
      }),
    );
    bar.update(reports.length, ids.length);
  }
  bar.end();
  if (output.isJson) {
    output.json({ sessions: reports });
    return EXIT.done;
  }
  for (const report of reports) {
    if (reports.length > 1 && report.bytes_before === report.bytes_after && report.dropped.length === 0)
      continue;
    const sizes = `${sizeInWords(report.bytes_before)} → ${sizeInWords(report.bytes_after)}`;
    const dropped = counted(report.dropped.length, 'memory', 'memories');
    output.line(
      `${report.session_id}  ${sizes}  ${output.dim(`${dropped} dropped, ${report.entries_after} left`)}`,
    );
    if (report.quarantined > 0) output.warning(`${counted(report.quarantined, 'damaged line')} set aside.`);
  }
  const freed = reports.reduce((sum, report) => sum + report.bytes_before - report.bytes_after, 0);
  const verb = isRehearsal ? 'Would free' : 'Freed';
  output.note(`${verb} ${sizeInWords(Math.max(0, freed))} in ${counted(reports.length, 'session')}.`);
  return EXIT.done;
};
