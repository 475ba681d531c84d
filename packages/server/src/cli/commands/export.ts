import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../has-code.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import { privacyOperations } from '../../operations/privacy.ts';
import { sessionOperations } from '../../operations/sessions.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { isFileTrouble, reasonOf } from '../file-trouble.ts';
import { counted, plain } from '../output.ts';

export const exportMemories: CommandRun = async (call) => {
  const { values, output, context, signal } = call;
  const { session_id } = context.identity;
  const file = values.text('output');
  const format = values.text('format');
  if (session_id === undefined && format !== undefined) {
    throw new UsageError('--format is for one session: name it with --session.');
  }
  if (session_id !== undefined) {
    const exported = await exportSession(call, session_id, format);
    if (file !== undefined) {
      await save(file, [exported.content]);
      if (output.isJson) output.json({ file });
      else output.note(`Wrote ${plain(session_id)} to ${file}.`);
    } else if (output.isJson) output.json(exported);
    else output.raw(exported.content);
    return;
  }
  const everything = () => context.stream<string>(privacyOperations.exportUser, {}, signal);
  if (file === undefined) {
    if (output.isJson) output.json(await context.run(privacyOperations.exportUser, {}));
    else for await (const line of everything()) output.raw(line);
    return;
  }
  let lines = 0;
  await save(
    file,
    counting(everything(), () => lines++),
  );
  if (output.isJson) output.json({ file, lines });
  else output.note(`Wrote ${counted(lines, 'line')} to ${file}.`);
};

/**
 * Of a session that has lost the record of its owner, only the memories are exported: the user who runs this can read
 * its files, and their change file names it.
 */
async function exportSession(
  { output, context }: CommandCall,
  session_id: string,
  format: string | undefined,
): Promise<AnswerOf<typeof sessionOperations.exportSession>> {
  try {
    return await context.run(sessionOperations.exportSession, { session_id, format });
  } catch (error) {
    if (!hasCode(error, 'CORRUPT_SESSION')) throw error;
    if ((await (await context.memory()).unreadableSessions(session_id)).length === 0) throw error;
    const known = format === 'jsonl' ? 'jsonl' : 'json';
    const content = await (await context.manager()).exportSession(session_id, known);
    output.warning(
      `The owner of session ${plain(session_id)} is unknown: these are its memories, without its settings. longhand verify says how to repair it.`,
    );
    return { session_id, format: known, content };
  }
}

/** What a person has asked to be kept is theirs alone to read. */
async function save(file: string, lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  // Opened first: an invalid path is the caller's mistake, whatever the store holds.
  const handle = await open(file, 'w', 0o600).catch((error: unknown) => {
    throw isFileTrouble(error) ? unwritable(file, error) : error;
  });
  await pipeline(Readable.from(lines), handle.createWriteStream());
}

function unwritable(file: string, trouble: NodeJS.ErrnoException & { readonly code: string }): UsageError {
  const reason =
    trouble.code === 'ENOENT' ? `there is no folder ${dirname(resolve(file))}` : reasonOf(trouble.code);
  return new UsageError(`${file} cannot be written: ${reason}.`, { cause: trouble });
}

async function* counting(lines: AsyncIterable<string>, count: () => void): AsyncGenerator<string, void> {
  for await (const line of lines) {
    count();
    yield line;
  }
}
