import type { Session } from 'longhand';
import type { CommandCall, CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { ageInWords, plain } from '../output.ts';

const DEFAULT_LIMIT = 20;

export const sessions: CommandRun = async (call) => {
  const { positionals, values, workplace, output } = call;
  const text = positionals.join(' ');
  if (text !== '') return search(call, text);
  const limit = values.number('limit');
  if (output.isJson) {
    output.json(await workplace.run('listSessions', { limit }));
    return EXIT.done;
  }
  const memory = await workplace.memory();
  const all = [...(await memory.listSessions())].sort((a, b) => b.created_at.localeCompare(a.created_at));
  const shown: readonly Session[] = all.slice(0, limit ?? DEFAULT_LIMIT);
  const now = Date.now();
  const rows = await Promise.all(
    shown.map(async ({ id, created_at, agents }) => [
      output.bold(id),
      `${(await memory.getSessionStats(id)).total_entries}`.padStart(6),
      ageInWords(created_at, now),
      output.dim(agents.map(plain).join(', ')),
    ]),
  );
  if (rows.length === 0) {
    output.note('There are no sessions yet.');
    return EXIT.done;
  }
  output.table([
    [output.dim('session'), output.dim('memories'), output.dim('begun'), output.dim('agents')],
    ...rows,
  ]);
  if (all.length > shown.length)
    output.note(output.dim(`${all.length - shown.length} more; --limit shows them.`));
  return EXIT.done;
};

async function search({ values, workplace, output }: CommandCall, text: string): Promise<typeof EXIT.done> {
  const found = await workplace.run<{ sessions: readonly { session_id: string; relevance: number }[] }>(
    'searchSessions',
    { text, limit: values.number('limit') },
  );
  if (output.isJson) output.json(found);
  else if (found.sessions.length === 0) output.note('Nothing found.');
  else
    output.table(
      found.sessions.map(({ session_id, relevance }) => [
        output.bold(session_id),
        output.dim(relevance.toFixed(2)),
      ]),
    );
  return EXIT.done;
}
