import { userMemoryOperations } from '../../operations/user-memories.ts';
import { type CommandRun, UsageError } from '../command.ts';
import { plain, shortened } from '../output.ts';
import { textOf } from '../read-input.ts';

export const remember: CommandRun = async ({ values, positionals, output, context }) => {
  const text = await textOf(positionals);
  if (text.trim() === '') throw new UsageError('There is nothing to remember in an empty text.');
  const replaces = values.texts('replaces');
  const input = {
    type: values.text('type'),
    content: text,
    importance: values.number('importance'),
    tags: values.texts('tag'),
    replaces: replaces.length === 0 ? undefined : replaces,
    provenance: { author: 'user', trust: 'owner', source: 'cli' },
  };
  // What is refused leaves no session behind.
  await context.check(userMemoryOperations.remember, input);
  const session_id = await context.session('cli');
  const remembered = await context.run(userMemoryOperations.remember, { ...input, session_id });
  if (output.isJson) return output.json(remembered);
  const { id, confirmed, similar } = remembered;
  const said = confirmed ? 'Confirmed' : output.paint('green', 'Remembered');
  output.line(`${said} ${id} ${output.dim(`in ${remembered.session_id}`)}`);
  if (similar.length > 0) output.note('Close to it, and still recalled; --replaces ID takes one out:');
  for (const { id: other, text: close } of similar)
    output.note(`  ${other}  ${shortened(plain(close), output.columns - other.length - 4)}`);
};
