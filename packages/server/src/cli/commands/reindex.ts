import type { IndexReport } from 'longhand';
import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { sessionsOf } from '../sessions-of.ts';

export const reindex: CommandRun = async (call) => {
  const { output, workplace, signal } = call;
  const ids = await sessionsOf(call);
  using bar = new ProgressBar(output, 'Reindexing', 'sessions');
  const reports: IndexReport[] = [];
  bar.update(0, ids.length);
  for (const session_id of ids) {
    signal.throwIfAborted();
    reports.push(await workplace.run<IndexReport>('rebuildIndex', { session_id }));
    bar.update(reports.length, ids.length);
  }
  bar.end();
  if (output.isJson) {
    output.json({ sessions: reports });
    return EXIT.done;
  }
  const entries = reports.reduce((sum, report) => sum + report.entries, 0);
  output.line(
    `Reindexed ${counted(entries, 'memory', 'memories')} in ${counted(reports.length, 'session')}.`,
  );
  for (const { session_id, damaged_lines } of reports) {
    if (damaged_lines > 0)
      output.warning(`${session_id} has ${counted(damaged_lines, 'damaged line')}; see longhand verify.`);
  }
  return EXIT.done;
};
