import type { ScopedMemory, Session } from 'longhand';
import { searchOperations } from '../../operations/search.ts';
import { sessionOperations } from '../../operations/sessions.ts';
import type { CommandCall, CommandRun } from '../command.ts';
import { ageInWords, decimals, type Output, plain } from '../output.ts';
import { queryTextOf } from '../read-input.ts';

const DEFAULT_LIMIT = 20;

export const sessions: CommandRun = async (call) => {
  const { positionals, values, context, output } = call;
  const text = queryTextOf(positionals);
  if (text !== undefined) return search(call, text);
  const limit = values.number('limit');
  if (output.isJson) return output.json(await context.run(sessionOperations.listSessions, { limit }));
  const memory = await context.memory();
  const all = [...(await memory.listSessions())].sort((a, b) => b.created_at.localeCompare(a.created_at));
  const shown = all.slice(0, limit ?? DEFAULT_LIMIT);
  if (shown.length === 0) {
    output.note('There are no sessions yet.');
    return;
  }
  await showTable(
    output,
    memory,
    shown.map((session) => ({ session })),
  );
  if (all.length > shown.length)
    output.note(output.dim(`${all.length - shown.length} more; --limit shows them.`));
};

async function search({ values, context, output }: CommandCall, text: string): Promise<undefined> {
  const found = await context.run(searchOperations.searchSessions, {
    text,
    limit: values.number('limit') ?? DEFAULT_LIMIT,
  });
  if (output.isJson) return output.json(found);
  const memory = await context.memory();
  const known = new Map((await memory.listSessions()).map((session) => [session.id, session]));
  // One that was deleted in the meantime is left out.
  const shown = found.sessions.flatMap(({ session_id, relevance }) => {
    const session = known.get(session_id);
    return session === undefined ? [] : [{ session, relevance }];
  });
  if (shown.length === 0) output.note(`None of your sessions matches ${JSON.stringify(plain(text))}.`);
  else await showTable(output, memory, shown);
}

interface ShownSession {
  readonly session: Session;
  /** How well it answers, when something was searched for: of all that are shown, or of none. */
  readonly relevance?: number;
}

async function showTable(
  output: Output,
  memory: ScopedMemory,
  shown: readonly ShownSession[],
): Promise<void> {
  const now = Date.now();
  const rows = await Promise.all(
    shown.map(async ({ session: { id, created_at, agents }, relevance }) => {
      const { total_entries, first_memory_at: first = created_at } = await memory.getSessionStats(id);
      // What was brought in is older than the session that it was put into.
      const [begun = created_at] = [first, created_at].sort();
      return [
        output.bold(id),
        ...(relevance === undefined ? [] : [decimals(relevance, 2).padStart('score'.length)]),
        `${total_entries}`.padStart('memories'.length),
        ageInWords(begun, now),
        output.dim(agents.map(plain).join(', ')),
      ];
    }),
  );
  const isScored = shown.some(({ relevance }) => relevance !== undefined);
  const heads = ['session', ...(isScored ? ['score'] : []), 'memories', 'begun', 'agents'];
  output.table([heads.map((head) => output.dim(head)), ...rows]);
}
