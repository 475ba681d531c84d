import { userMemoryOperations } from '../../operations/user-memories.ts';
import { type CommandRun, UsageError } from '../command.ts';
import { narrowingOf } from '../narrowing.ts';
import { listMemory } from '../show-memory.ts';

export const recall: CommandRun = async (call) => {
  const { values, positionals, output, context } = call;
  const text = positionals.join(' ').trim();
  if (positionals.length === 0) throw new UsageError('Say what to recall. longhand list shows all there is.');
  const found = await context.run(userMemoryOperations.recall, {
    text,
    ...(await narrowingOf(call)),
    limit: values.number('limit'),
  });
  if (output.isJson) return output.json(found);
  const now = Date.now();
  for (const [i, memory] of found.memories.entries()) listMemory(output, memory, i + 1, now);
  if (found.memories.length === 0) output.note('Nothing found.');
};
