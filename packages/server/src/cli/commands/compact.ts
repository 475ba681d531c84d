import { join } from 'node:path';
import type { AnswerOf } from '../../operations/operation.ts';
import { sessionOperations } from '../../operations/sessions.ts';
import type { CommandRun } from '../command.ts';
import { counted, sizeInWords } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { sessionsOf } from '../sessions-of.ts';

type CompactionReport = AnswerOf<typeof sessionOperations.compactSession>;

export const compact: CommandRun = async (call) => {
  const { values, output, context, signal, config } = call;
  const isRehearsal = values.isOn('dry-run');
  const ids = await sessionsOf(call);
  using bar = new ProgressBar(output, 'Compacting', 'sessions');
  const reports: CompactionReport[] = [];
  bar.update(0, ids.length);
  for (const session_id of ids) {
    signal.throwIfAborted();
    reports.push(
      await context.run(sessionOperations.compactSession, {
        session_id,
        dry_run: isRehearsal,
        drop_faded: values.isOn('drop-faded'),
      }),
    );
    bar.update(reports.length, ids.length);
  }
  bar.end();
  if (output.isJson) return output.json({ sessions: reports });
  const changed = reports.filter(hasChanged);
  for (const report of changed) {
    const sizes = `${sizeInWords(report.bytes_before)} → ${sizeInWords(report.bytes_after)}`;
    const dropped = counted(report.dropped.length, 'memory', 'memories');
    output.line(
      `${report.session_id}  ${sizes}  ${output.dim(`${dropped} dropped, ${report.entries_after} left`)}`,
    );
    if (report.quarantined > 0) {
      const lines = counted(report.quarantined, 'damaged line');
      const place =
        config.databaseUrl === undefined
          ? join(config.storageRoot, 'sessions', report.session_id, 'corrupt')
          : 'the table quarantined_lines';
      output.warning(`${lines} ${isRehearsal ? 'would go' : 'went'} out of the log, into ${place}.`);
    }
  }
  if (changed.length === 0) {
    output.note(`There is nothing to take out of ${counted(reports.length, 'session')}.`);
    return;
  }
  const freed = reports.reduce((sum, report) => sum + report.bytes_before - report.bytes_after, 0);
  const of = `${counted(changed.length, 'session')} of ${reports.length.toLocaleString('en')}`;
  if (freed > 0) output.note(`${isRehearsal ? 'Would free' : 'Freed'} ${sizeInWords(freed)} in ${of}.`);
  // The record that closes a new log, and the files that people read, may take more than went.
  else output.note(`${isRehearsal ? 'Would rewrite' : 'Rewrote'} ${of}, without making them smaller.`);
};

function hasChanged(report: CompactionReport): boolean {
  const { dropped, trimmed, quarantined, discarded, bytes_before, bytes_after } = report;
  const pieces = dropped.length + trimmed.length + quarantined + discarded;
  return pieces > 0 || bytes_before !== bytes_after;
}
