import { searchOperations } from '../../operations/search.ts';
import { type CommandRun, UsageError } from '../command.ts';
import { narrowingOf } from '../narrowing.ts';
import { counted } from '../output.ts';
import { listDetail, listMemory } from '../show-memory.ts';

export const search: CommandRun = async (call) => {
  const { values, positionals, output, context } = call;
  const text = positionals.length === 0 ? undefined : positionals.join(' ');
  const narrowing = await narrowingOf(call);
  if (text === undefined && Object.values(narrowing).every((value) => value === undefined)) {
    throw new UsageError(
      'Say what to search for: a text, --tag, --type or --within. longhand list shows all there is.',
    );
  }
  const sortBy = values.text('sort');
  const result = await context.run(searchOperations.search, {
    text,
    ...narrowing,
    min_match: values.number('min-match'),
    collapse: values.isOn('duplicates') ? false : undefined,
    limit: values.number('limit'),
    sort_by: sortBy,
    explain: values.isOn('explain') ? true : undefined,
    session_id: context.identity.session_id,
  });
  if (output.isJson) return output.json(result);
  const { memories, details = [], partly_searched = 0, next_cursor } = result;
  const now = Date.now();
  const found = [...memories, ...details];
  // In any other order details have no place, and come last.
  if (details.length > 0 && (sortBy ?? 'relevance') === 'relevance')
    found.sort((left, right) => right.relevance - left.relevance);
  for (const [i, each] of found.entries()) {
    if ('memory_key' in each) listDetail(output, each, i + 1);
    else listMemory(output, each, i + 1, now);
  }
  if (memories.length + details.length === 0) output.note('Nothing found.');
  else if (next_cursor !== undefined)
    output.note(
      output.dim(`The best ${counted(memories.length, 'memory', 'memories')}; --limit shows more.`),
    );
  if (partly_searched > 0)
    output.note(`Of ${counted(partly_searched, 'large detail')} only the beginning was searched.`);
};
