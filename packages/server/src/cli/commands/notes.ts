import { noteOperations } from '../../operations/notes.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { ageInWords, plain, sizeInWords } from '../output.ts';
import { textOf } from '../read-input.ts';
import { matchInWords } from '../show-memory.ts';

export const notes: CommandRun = async (call) => {
  const [action = 'show', ...rest] = call.positionals;
  const { context } = call;
  const { agent_id } = context.identity;
  // A person's own agent is there from the beginning, whether it has said a word or not.
  await (await (await context.memory()).agent(agent_id)).ensure();
  switch (action) {
    case 'append':
      return change(call, noteOperations.changeNotes, { operation: 'append', content: await given(rest) });
    case 'replace':
      return change(call, noteOperations.writeNotes, { text: await given(rest) });
    case 'restore':
      return change(call, noteOperations.restoreNotes, { version: versionOf(rest[0]) });
    case 'search':
      return search(call, rest.join(' '));
    case 'history':
      return history(call);
    case 'diff':
      return diff(call, versionOf(rest[0]), rest[1] === undefined ? undefined : versionOf(rest[1]));
    default:
      return show(call);
  }
};

async function show({ context, output }: CommandCall): Promise<undefined> {
  const read = await context.run(noteOperations.readNotes, { agent_id: context.identity.agent_id });
  if (output.isJson) output.json(read);
  else if (read.text.trim() === '') output.note('There are no notes yet.');
  else {
    output.note(output.dim(`Version ${read.version}, ${ageInWords(read.updated_at!, Date.now())}`));
    output.line(plain(read.text));
  }
}

async function search({ context, output }: CommandCall, text: string): Promise<undefined> {
  if (text.trim() === '') throw new UsageError('Say what to search for.');
  const { agent_id } = context.identity;
  const found = await context.run(noteOperations.searchNotes, { agent_id, text });
  if (output.isJson) output.json(found);
  else if (found.sections.length === 0) output.note('Nothing found.');
  else {
    for (const { text: section, match } of found.sections) {
      output.note(output.dim(matchInWords(match)));
      output.line(plain(section.trimEnd()));
    }
  }
}

async function change(
  { context, output }: CommandCall,
  operation: (typeof noteOperations)['changeNotes' | 'writeNotes' | 'restoreNotes'],
  input: Readonly<Record<string, unknown>>,
): Promise<undefined> {
  const written = await context.run(operation, { agent_id: context.identity.agent_id, ...input });
  if (output.isJson) output.json(written);
  else output.line(`The notes are at version ${written.version}.`);
}

async function history({ context, output }: CommandCall): Promise<undefined> {
  const { agent_id } = context.identity;
  const list = await context.run(noteOperations.listNotesVersions, { agent_id });
  if (output.isJson) output.json(list);
  else if (list.versions.length === 0) output.note('There are no notes yet.');
  else {
    const now = Date.now();
    output.table(
      list.versions.map(({ version, timestamp, author, operation, bytes }) => [
        output.bold(String(version).padStart(4)),
        ageInWords(timestamp, now),
        plain(author.author),
        operation,
        output.dim(sizeInWords(bytes)),
      ]),
    );
  }
}

async function diff(
  { context, output }: CommandCall,
  from: number,
  to: number | undefined,
): Promise<undefined> {
  const { agent_id } = context.identity;
  const version = to ?? (await context.run(noteOperations.readNotes, { agent_id })).version;
  const compared = await context.run(noteOperations.readNotesVersion, {
    agent_id,
    version,
    compare_with: from,
  });
  if (output.isJson) output.json(compared);
  else {
    for (const line of (compared.diff ?? '').split('\n')) {
      const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined;
      output.line(colour === undefined ? plain(line) : output.paint(colour, plain(line)));
    }
  }
}

async function given(words: readonly string[]): Promise<string> {
  if (words.length === 0) throw new UsageError('Say the text, or - to read it from standard input.');
  return words.length === 1 ? textOf(words) : words.join('\n');
}

function versionOf(value: string | undefined): number {
  if (value === undefined || !/^\d+$/.test(value))
    throw new UsageError('Say the version, as history lists it.');
  return Number(value);
}
