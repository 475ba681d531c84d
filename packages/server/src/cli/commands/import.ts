import { hash } from 'node:crypto';
import type { CommandCall, CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { type Imported, importInto, noPieces, type PieceCounts } from '../import-into.ts';
import { type ImportItem, parseImport } from '../import-source.ts';
import { counted, type Output, plain } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { contentOf } from '../read-input.ts';

export const importMemories: CommandRun = async (call) => {
  const { positionals, values, output } = call;
  const items = parseImport(await contentOf(positionals[0]!), (text) => hash('sha256', text));
  const isRehearsal = values.isOn('dry-run');
  const imported = isRehearsal ? inFile(items) : await takeIn(call, items);
  const kinds = kindsPassedOver(items, imported);
  if (output.isJson) {
    output.json({
      ...imported.fresh,
      // A rehearsal reads the file alone.
      ...(isRehearsal ? {} : { already_there: imported.known }),
      skipped_deleted: imported.skippedDeleted,
      passed_over: Object.values(kinds).reduce((sum, count) => sum + count, 0),
      passed_over_kinds: kinds,
    });
  } else {
    show(output, imported, isRehearsal);
    const passedOver = Object.entries(kinds).map(([what, count]) => `${count} × ${plain(what)}`);
    if (passedOver.length > 0) output.line(`Passed over: ${passedOver.join(', ')}.`);
  }
  return EXIT.done;
};

function show(output: Output, { fresh, known, skippedDeleted }: Imported, isRehearsal: boolean): void {
  const [taken, there] = [inWords(fresh), inWords(known)];
  if (isRehearsal) output.line(`Would import ${taken ?? 'nothing'}, as far as it is not there already.`);
  else output.line(`Imported ${taken ?? (there === undefined ? 'nothing' : 'nothing new')}.`);
  if (there !== undefined) output.line(`Already there: ${there}.`);
  if (skippedDeleted > 0)
    output.line(`Left out, deleted here before: ${counted(skippedDeleted, 'memory', 'memories')}.`);
}

const NAMES: Readonly<Record<keyof PieceCounts, readonly [string, string]>> = {
  sessions: ['session', 'sessions'],
  memories: ['memory', 'memories'],
  messages: ['message', 'messages'],
  notes: ['document of notes', 'documents of notes'],
  details: ['kept value', 'kept values'],
};

/** `undefined` when there are none. */
function inWords(counts: PieceCounts): string | undefined {
  const parts = Object.entries(NAMES).flatMap(([kind, names]) => {
    const count = counts[kind as keyof PieceCounts];
    return count === 0 ? [] : [counted(count, ...names)];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** What was passed over, and how many of each. */
function kindsPassedOver(
  items: readonly ImportItem[],
  { unkeptMessages }: Imported,
): Readonly<Record<string, number>> {
  const kinds = new Map<string, number>();
  const pass = (what: string, count: number): void => void kinds.set(what, (kinds.get(what) ?? 0) + count);
  for (const item of items) if (item.kind === 'passed-over') pass(item.what, 1);
  if (unkeptMessages > 0) pass('message that no transcript keeps', unkeptMessages);
  return Object.fromEntries(kinds);
}

function inFile(items: readonly ImportItem[]): Imported {
  const count = (kind: ImportItem['kind']) => items.filter((item) => item.kind === kind).length;
  const fresh = {
    sessions: count('session'),
    memories: count('memory'),
    messages: count('message'),
    notes: count('notes'),
    details: count('detail'),
  };
  return { fresh, known: noPieces(), skippedDeleted: 0, unkeptMessages: 0 };
}

async function takeIn(
  { workplace, output, signal, values }: CommandCall,
  items: readonly ImportItem[],
): Promise<Imported> {
  const { session_id: named } = workplace.identity;
  const needsOne = items.some((item) => item.kind === 'memory' && item.sessionId === undefined);
  const fallback = named ?? (needsOne ? await workplace.session('import') : '');
  using bar = new ProgressBar(output, 'Importing', 'pieces');
  let done = 0;
  const step = (count: number): void => {
    done += count;
    bar.update(done, items.length);
    signal.throwIfAborted();
  };
  try {
    const skipsDeleted = values.isOn('skip-deleted');
    return await importInto(await workplace.memory(), items, { named, fallback, skipsDeleted, step });
  } finally {
    bar.end();
  }
}
