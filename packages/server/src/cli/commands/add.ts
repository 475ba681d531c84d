import { type CommandRun, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { textOf } from '../read-input.ts';

export const add: CommandRun = async ({ values, positionals, output, workplace }) => {
  const text = await textOf(positionals);
  if (text.trim() === '') throw new UsageError('There is nothing to remember in an empty text.');
  const input = {
    type: values.text('type'),
    content: text,
    id: values.text('id'),
    importance: values.number('importance'),
    tags: values.texts('tag'),
    references: values.texts('reference'),
    provenance: { author: 'user', trust: 'owner', source: 'cli' },
  };
  const session_id = await workplace.session('cli');
  const added = await workplace.run<{ id: string; session_id: string }>('addMemory', {
    ...input,
    session_id,
  });
  if (output.isJson) output.json(added);
  else
    output.line(`${output.paint('green', 'Remembered')} ${added.id} ${output.dim(`in ${added.session_id}`)}`);
  return EXIT.done;
};
