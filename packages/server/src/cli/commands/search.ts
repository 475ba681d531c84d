import type { FoundMemory } from 'longhand';
import { type CommandRun, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { narrowingOf } from '../narrowing.ts';
import { counted, plain } from '../output.ts';
import { queryTextOf } from '../read-input.ts';
import { listMemory } from '../show-memory.ts';

interface SearchResult {
  readonly memories: readonly FoundMemory[];
  readonly details?: readonly {
    readonly memory_key: string;
    readonly summary: string;
    readonly session_id: string;
  }[];
  readonly next_cursor?: string;
}

export const search: CommandRun = async (call) => {
  const { values, positionals, output, workplace } = call;
  const text = queryTextOf(positionals);
  const narrowing = await narrowingOf(call);
  if (text === undefined && Object.values(narrowing).every((value) => value === undefined)) {
    throw new UsageError(
      'Say what to search for: a text, --tag, --type or --within. longhand list shows all there is.',
    );
  }
  const result = await workplace.run<SearchResult>('search', {
    text,
    ...narrowing,
    limit: values.number('limit'),
    sort_by: values.text('sort'),
    explain: values.isOn('explain') ? true : undefined,
    session_id: workplace.identity.session_id,
  });
  if (output.isJson) {
    output.json(result);
    return EXIT.done;
  }
  const { memories, details = [], next_cursor } = result;
  const now = Date.now();
  for (const [i, memory] of memories.entries()) listMemory(output, memory, i + 1, now);
  for (const { memory_key, summary, session_id } of details) {
    output.line(`    ${output.bold(plain(summary))}`);
    output.line(`    ${output.paint('cyan', 'detail')}  ${output.dim(`${memory_key}  ${session_id}`)}`);
  }
  if (memories.length + details.length === 0) output.note('Nothing found.');
  else if (next_cursor !== undefined)
    output.note(
      output.dim(`The best ${counted(memories.length, 'memory', 'memories')}; --limit shows more.`),
    );
  return EXIT.done;
};
