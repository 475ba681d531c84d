import type { NewMemory } from 'longhand';
import { hasCode } from '../../has-code.ts';
import { memoryOperations } from '../../operations/memories.ts';
import { ofAnyType } from '../../operations/memory-fields.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { textOf } from '../read-input.ts';
import { sessionOfMemory } from '../session-of-memory.ts';

export const add: CommandRun = async (call) => {
  const { values, positionals, output, context } = call;
  const text = await textOf(positionals);
  if (text.trim() === '') throw new UsageError('There is nothing to remember in an empty text.');
  const input = {
    ...(await ofAnyType(text, { type: values.text('type') ?? 'finding', tags: values.texts('tag') })),
    id: values.text('id'),
    importance: values.number('importance'),
    references: values.texts('reference'),
    provenance: { author: 'user', trust: 'owner', source: 'cli' },
  };
  // What is refused leaves no session behind.
  await context.check(memoryOperations.addMemory, { ...input, session_id: context.sessionId('cli') });
  const place = input.id === undefined ? undefined : await placeOf(call, input.id);
  // Where it is, the store compares: the same once more changes nothing, and another memory is refused.
  const session_id = place ?? (await context.session('cli'));
  const added = await context
    .run(memoryOperations.addMemory, { ...input, session_id })
    .catch((error: unknown) => goOn(call, error, session_id, input as unknown as NewMemory));
  const isKnown = place !== undefined;
  if (output.isJson) output.json(isKnown ? { ...added, already_there: true } : added);
  else {
    const said = isKnown ? 'Already there:' : output.paint('green', 'Remembered');
    output.line(`${said} ${added.id} ${output.dim(`in ${added.session_id}`)}`);
  }
};

/**
 * The session that has a memory of this id already. Without `--session` it may be any of the user's: that of another
 * day, or one that a full one went on in.
 */
async function placeOf({ context }: CommandCall, id: string): Promise<string | undefined> {
  const memory = await context.memory();
  const { session_id } = context.identity;
  const place = await sessionOfMemory(memory, id);
  if (session_id === undefined || place === undefined || place === session_id) return place;
  // There may be one of this id in each session.
  const isThere = (await memory.listSessions()).some((session) => session.id === session_id);
  return isThere && (await memory.getMemory(session_id, id)) !== null ? session_id : undefined;
}

/** A full session of the day rolls over to the next one, as over MCP. A session that the user named does not. */
async function goOn(
  { context }: CommandCall,
  error: unknown,
  sessionId: string,
  memory: NewMemory,
): Promise<AnswerOf<typeof memoryOperations.addMemory>> {
  const isFull = hasCode(error, 'SESSION_FULL');
  if (!isFull || context.identity.session_id !== undefined) throw error;
  const { layers, userId } = await (await context.memory()).toolScope();
  const given = Object.entries(memory).filter(([, value]) => value !== undefined);
  return layers.memories.add(userId!, sessionId, Object.fromEntries(given) as unknown as NewMemory);
}
