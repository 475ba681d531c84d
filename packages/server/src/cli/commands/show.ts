import { LonghandError, NotFoundError, type ScopedMemory } from 'longhand';
import { textOfMemory } from '../../conversation/memory-in-words.ts';
import { detailOperations } from '../../operations/details.ts';
import { memoryOperations } from '../../operations/memories.ts';
import { sessionOperations } from '../../operations/sessions.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { counted, grouped, plain, sizeInWords } from '../output.ts';
import { sessionOfMemory } from '../session-of-memory.ts';
import { showMemory } from '../show-memory.ts';

/** Whatever the id names: ids of memories, sessions and details differ enough to try one after the other. */
export const show: CommandRun = async (call) => {
  const id = call.positionals[0]!;
  const memory = await call.context.memory();
  for (const attempt of [showEntry, showDetail, showSession]) {
    if (await attempt(call, memory, id)) return;
  }
  throw new NotFoundError(
    'MEMORY_NOT_FOUND',
    `There is no memory, detail or session ${id}. longhand list and longhand sessions show what there is.`,
  );
};

async function showEntry(
  { output, context }: CommandCall,
  memory: ScopedMemory,
  id: string,
): Promise<boolean> {
  const session_id = context.identity.session_id ?? (await sessionOfMemory(memory, id));
  if (session_id === undefined || !(await exists(() => memory.loadSession(session_id)))) return false;
  if ((await memory.getMemory(session_id, id)) === null) return false;
  const entry = await context.run(memoryOperations.getMemory, { session_id, memory_id: id });
  if (output.isJson) output.json(entry);
  else showMemory(output, entry, Date.now());
  return true;
}

async function showDetail(call: CommandCall, memory: ScopedMemory, key: string): Promise<boolean> {
  const { output, values, context } = call;
  if (!(await exists(async () => (await memory.details()).get(key)))) return false;
  const [first_line, last_line] = linesOf(values.text('lines'));
  const found = await context.run(detailOperations.retrieveDetail, {
    memory_key: key,
    page: values.number('page'),
    first_line,
    last_line,
    search: values.text('search'),
  });
  if (output.isJson) {
    output.json(found);
    return true;
  }
  const page = found.total_pages === undefined ? '' : `, page ${found.page} of ${found.total_pages}`;
  const size = `${sizeInWords(found.size_bytes)}, ${counted(found.total_lines, 'line')}${page}`;
  output.note(output.dim(`${plain(found.detail.summary)} (${size})`));
  if (found.content === '' && values.text('search') !== undefined) output.note('No line of it holds that.');
  else output.line(plain(found.content));
  return true;
}

async function showSession(call: CommandCall, memory: ScopedMemory, id: string): Promise<boolean> {
  const { output, context } = call;
  if (!(await exists(() => memory.loadSession(id)))) return false;
  const session = await context.run(sessionOperations.loadSession, { session_id: id });
  const conversation = await memory.conversation(id);
  const { summary, summarized_count } = await conversation.summary.summaryFields();
  const messages = await conversation.transcript.latest(20);
  const newest = { session_id: id, sort_by: 'time', limit: 20 };
  const { memories } = await context.run(memoryOperations.queryMemories, newest);
  const { total_entries: total_memories } = await memory.getSessionStats(id);
  if (output.isJson) {
    output.json({ session, summary, summarized_count, messages, memories, total_memories });
    return true;
  }
  output.line(
    `${output.bold(session.id)}  ${output.dim(`since ${session.created_at}, agents: ${session.agents.map(plain).join(', ') || 'none'}`)}`,
  );
  if (summary !== null) {
    output.line();
    output.line(output.bold(`Summary of ${counted(summarized_count, 'message')}`));
    output.paragraph(plain(summary), 2);
  }
  if (messages.length > 0) {
    output.line();
    output.line(output.bold('Last messages'));
    for (const { role, name, content } of messages)
      output.paragraph(`${plain(name ?? role)}: ${plain(content)}`, 2);
  }
  if (memories.length > 0) {
    output.line();
    output.line(output.bold('Newest memories'));
    for (const entry of memories) output.paragraph(`${entry.id}  ${plain(textOfMemory(entry))}`, 2);
    const more = total_memories - memories.length;
    if (more > 0)
      output.note(output.dim(`${grouped(more)} more; longhand list --session ${id} --all shows them.`));
  }
  return true;
}

async function exists(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    const isMissing =
      LonghandError.isInstance(error) && ['NotFoundError', 'ValidationError'].includes(error.name);
    if (!isMissing) throw error;
    return false;
  }
}

function linesOf(range: string | undefined): readonly [number | undefined, number | undefined] {
  if (range === undefined) return [undefined, undefined];
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
  if (first === undefined) throw new UsageError(`--lines must be like 40-60, not ${JSON.stringify(range)}.`);
  return [Number(first), Number(last ?? first)];
}
