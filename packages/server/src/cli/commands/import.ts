import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseFileAsRoot } from '../../open-store.ts';
import { importOperations } from '../../operations/imports.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import type { CommandCall, CommandRun } from '../command.ts';
import { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { counted, type Output, plain } from '../output.ts';
import { piecesInWords } from '../piece-words.ts';
import { ProgressBar } from '../progress-bar.ts';
import { contentOf } from '../read-input.ts';

type Report = AnswerOf<typeof importOperations.importMemories>;

export const importMemories: CommandRun = async (call) => {
  const { positionals, values, output, context, signal } = call;
  const file = positionals[0]!;
  const { session_id, user_id } = context.identity;
  using bar = new ProgressBar(output, 'Importing', 'pieces');
  let kept = 0;
  const onProgress = (done: number, total: number): void => {
    bar.update(done, total);
    kept = done;
  };
  const failed = (error: unknown): never => {
    bar.end();
    if (kept > 0) output.note(`Imported before this happened: ${counted(kept, 'piece')}.`);
    throw error;
  };
  const asked = {
    content: await contentOf(file),
    name: file === '-' ? 'standard input' : file,
    session_id,
    dry_run: values.isOn('dry-run'),
    skip_deleted: values.isOn('skip-deleted'),
  };
  const tried = await tryOutWithoutStore(call, asked);
  const take = () => context.run(importOperations.importMemories, asked, { signal, onProgress });
  const report = await (tried !== undefined && asked.dry_run ? tried : take().catch(failed));
  bar.end();
  if (output.isJson) output.json(report);
  else show(output, report, asked.dry_run, user_id);
  return EXIT.done;
};

/** Where there is no store yet, in a folder that goes again: a file that is refused, or only looked at, makes none. */
async function tryOutWithoutStore(
  { config, context }: CommandCall,
  asked: object,
): Promise<Report | undefined> {
  refuseFileAsRoot(config);
  const isThere = ['sessions', 'users'].some((folder) => existsSync(join(config.storageRoot, folder)));
  if (config.databaseUrl !== undefined || isThere) return undefined;
  const storageRoot = mkdtempSync(join(tmpdir(), 'longhand-'));
  try {
    const elsewhere = { ...config, storageRoot, stateFolder: join(storageRoot, 'server') };
    await using empty = new CommandContext(elsewhere, context.identity);
    return await empty.run(importOperations.importMemories, { ...asked, dry_run: true });
  } finally {
    rmSync(storageRoot, { recursive: true });
  }
}

function show(output: Output, report: Report, isRehearsal: boolean, userId: string): void {
  const { already_there, skipped_deleted, passed_over_kinds, left_out_fields, of_other_users } = report;
  const kinds = Object.keys(already_there) as (keyof typeof already_there)[];
  const taken = piecesInWords(Object.fromEntries(kinds.map((kind) => [kind, report[kind]])));
  const there = piecesInWords({ ...already_there });
  const what = taken || (there === '' ? 'nothing' : 'nothing new');
  output.line(`${isRehearsal ? 'Would import' : 'Imported'} ${what}.`);
  if (there !== '') output.line(`Already there: ${there}.`);
  if (skipped_deleted > 0)
    output.line(`Left out, deleted here before: ${counted(skipped_deleted, 'piece')}.`);
  const passedOver = Object.entries(passed_over_kinds).map(([kind, count]) => `${count} × ${plain(kind)}`);
  if (passedOver.length > 0) output.line(`Skipped: ${passedOver.join(', ')}.`);
  const fields = Object.entries(left_out_fields).map(
    ([name, count]) => `${plain(name)} (${counted(count, 'time')})`,
  );
  if (fields.length > 0)
    output.warning(`These fields mean nothing here, and are left out: ${fields.join(', ')}.`);
  for (const [name, count] of Object.entries(of_other_users))
    output.warning(
      `${counted(count, 'piece')} of the user ${plain(name)} in the file: import keeps everything for ${userId}.`,
    );
}
