import { searchOperations } from '../../operations/search.ts';
import { type CommandRun, UsageError } from '../command.ts';
import { narrowingOf } from '../narrowing.ts';
import { counted } from '../output.ts';
import { listMemory } from '../show-memory.ts';

const DEFAULT_LIMIT = 20;
/** As many as a page may hold. */
const PAGE_MEMORIES = 1_000;

/** What there is, newest first: a page of it, or all of it, page by page, so that no more than one is held at a time. */
export const list: CommandRun = async (call) => {
  const { values, output, context, signal } = call;
  const [isAll, limit] = [values.isOn('all'), values.number('limit')];
  if (isAll && limit !== undefined) throw new UsageError('--all and --limit contradict each other.');
  const narrowing = await narrowingOf(call);
  const query = {
    ...narrowing,
    sort_by: 'time',
    limit: isAll ? PAGE_MEMORIES : (limit ?? DEFAULT_LIMIT),
    session_id: context.identity.session_id,
  };
  const now = Date.now();
  let shown = 0;
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const page = await context.run(searchOperations.search, { ...query, cursor });
    cursor = page.next_cursor;
    if (output.isJson && !isAll) output.json(page);
    else
      for (const { relevance, ...memory } of page.memories) {
        shown++;
        // In this order a score would say nothing.
        if (output.isJson) output.line(JSON.stringify({ ...memory, relevance }));
        else listMemory(output, memory, shown, now);
      }
  } while (isAll && cursor !== undefined);
  if (output.isJson) return;
  // A page that is full has a cursor, whether anything follows or not.
  const hasMore = async () =>
    cursor !== undefined &&
    (await context.run(searchOperations.search, { ...query, limit: 1, cursor })).memories.length > 0;
  if (shown === 0) {
    const isNarrowed = Object.values(narrowing).some((value) => value !== undefined);
    output.note(isNarrowed ? 'Nothing found.' : 'There are no memories yet.');
  } else if (await hasMore())
    output.note(
      output.dim(`The newest ${counted(shown, 'memory', 'memories')}; --limit or --all shows more.`),
    );
};
