import { NotFoundError } from 'longhand';
import { memoryOperations } from '../../operations/memories.ts';
import { type CommandRun, UsageError } from '../command.ts';
import { textOf } from '../read-input.ts';
import { sessionOfMemory } from '../session-of-memory.ts';
import { showMemory } from '../show-memory.ts';

export const edit: CommandRun = async ({ values, positionals, output, context }) => {
  const [memory_id, ...texts] = positionals as [string, ...string[]];
  const tags = named(values.texts('tag'));
  if (tags !== undefined && values.isOn('clear-tags'))
    throw new UsageError('--tag and --clear-tags contradict each other.');
  const changes = {
    content: texts.length === 0 ? undefined : await newText(texts),
    type: values.text('type'),
    importance: values.number('importance'),
    tags: values.isOn('clear-tags') ? [] : tags,
    references: named(values.texts('reference')),
  };
  if (Object.values(changes).every((value) => value === undefined))
    throw new UsageError(
      'Say what is to change: a text, --type, --tag, --clear-tags, --importance or --reference.',
    );
  const session_id =
    context.identity.session_id ?? (await sessionOfMemory(await context.memory(), memory_id));
  if (session_id === undefined)
    throw new NotFoundError(
      'MEMORY_NOT_FOUND',
      `There is no memory ${memory_id}. longhand search finds what there is.`,
    );
  const updated = await context.run(memoryOperations.updateMemory, { session_id, memory_id, ...changes });
  if (output.isJson) output.json(updated);
  else showMemory(output, updated, Date.now());
};

/** An option that is not given changes nothing. */
function named(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

async function newText(texts: readonly string[]): Promise<string> {
  const text = await textOf(texts);
  if (text.trim() === '') throw new UsageError('There is nothing to remember in an empty text.');
  return text;
}
