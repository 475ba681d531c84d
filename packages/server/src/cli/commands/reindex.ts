import type { IndexReport } from 'longhand';
import { sessionOperations } from '../../operations/sessions.ts';
import type { CommandCall, CommandRun } from '../command.ts';
import { counted, plain } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { sessionsOf } from '../sessions-of.ts';

/** Together: the lists of all sessions are then written once for all of them. */
const AT_ONCE = 100;

export const reindex: CommandRun = async (call) => {
  const { output, context, signal } = call;
  const adopted = isForAll(call) ? await adoptSessions(call) : undefined;
  const ids = await sessionsOf(call);
  using bar = new ProgressBar(output, 'Reindexing', 'sessions');
  const reports: IndexReport[] = [];
  bar.update(0, ids.length);
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    signal.throwIfAborted();
    const rebuild = (session_id: string) => context.run(sessionOperations.rebuildIndex, { session_id });
    reports.push(...(await Promise.all(ids.slice(at, at + AT_ONCE).map(rebuild))));
    bar.update(reports.length, ids.length);
  }
  bar.end();
  if (output.isJson) return output.json({ sessions: reports, ...(adopted === undefined ? {} : { adopted }) });
  const entries = reports.reduce((sum, report) => sum + report.entries, 0);
  output.line(
    `Reindexed ${counted(entries, 'memory', 'memories')} in ${counted(reports.length, 'session')}.`,
  );
  if (adopted !== undefined && adopted.length > 0)
    output.line(`Adopted ${counted(adopted.length, 'session')} that no list named: ${namesOf(adopted)}.`);
  for (const { session_id, damaged_lines } of reports) {
    if (damaged_lines > 0)
      output.warning(`${session_id} has ${counted(damaged_lines, 'damaged line')}; see longhand verify.`);
  }
};

function isForAll({ positionals, context }: CommandCall): boolean {
  return positionals.length === 0 && context.identity.session_id === undefined;
}

/** Sessions whose folders were copied into the store by hand are in no list yet: they are adopted first. */
async function adoptSessions({ output, context }: CommandCall): Promise<readonly string[]> {
  using bar = new ProgressBar(output, 'Looking for more', 'sessions');
  return (await context.memory()).adoptSessions((done, total) => bar.update(done, total));
}

const NAMED = 5;

function namesOf(ids: readonly string[]): string {
  const more = ids.length - NAMED;
  return `${ids.slice(0, NAMED).map(plain).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
