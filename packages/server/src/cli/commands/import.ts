import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LonghandError } from 'longhand';
import { hasCode } from '../../has-code.ts';
import { refuseFileAsRoot } from '../../open-store.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { FieldAccount } from '../import-fields.ts';
import { type Imported, importInto, newTally } from '../import-into.ts';
import { rehearseImport } from '../import-rehearsal.ts';
import { type ImportItem, ImportRefusal, parseImport } from '../import-source.ts';
import { counted, type Output, plain } from '../output.ts';
import { piecesInWords } from '../piece-words.ts';
import { ProgressBar } from '../progress-bar.ts';
import { contentOf } from '../read-input.ts';

export const importMemories: CommandRun = async (call) => {
  const { positionals, values, output } = call;
  const file = positionals[0]!;
  const shown = file === '-' ? 'standard input' : file;
  const { user_id } = call.context.identity;
  const text = await contentOf(file);
  const { items, account } = parseImport(text, shown, user_id);
  const rehearsed = await rehearse(call, items);
  const isRehearsal = values.isOn('dry-run');
  const imported = isRehearsal ? rehearsed : await takeIn(call, items);
  const kinds = kindsPassedOver(items, imported);
  if (output.isJson) {
    output.json({
      ...imported.fresh,
      already_there: imported.known,
      skipped_deleted: imported.skippedDeleted,
      passed_over: Object.values(kinds).reduce((sum, count) => sum + count, 0),
      passed_over_kinds: kinds,
      left_out_fields: Object.fromEntries(account.leftOut),
      of_other_users: Object.fromEntries(account.otherUsers),
    });
  } else {
    show(output, imported, isRehearsal);
    const passedOver = Object.entries(kinds).map(([what, count]) => `${count} × ${plain(what)}`);
    if (passedOver.length > 0) output.line(`Skipped: ${passedOver.join(', ')}.`);
    warn(output, account, user_id);
  }
  return EXIT.done;
};

function show(output: Output, { fresh, known, skippedDeleted }: Imported, isRehearsal: boolean): void {
  const [taken, there] = [piecesInWords({ ...fresh }), piecesInWords({ ...known })];
  const what = taken || (there === '' ? 'nothing' : 'nothing new');
  output.line(`${isRehearsal ? 'Would import' : 'Imported'} ${what}.`);
  if (there !== '') output.line(`Already there: ${there}.`);
  if (skippedDeleted > 0)
    output.line(`Left out, deleted here before: ${counted(skippedDeleted, 'memory', 'memories')}.`);
}

function warn(output: Output, { leftOut, otherUsers }: FieldAccount, userId: string): void {
  const fields = [...leftOut].map(([name, count]) => `${plain(name)} (${counted(count, 'time')})`);
  if (fields.length > 0)
    output.warning(`These fields mean nothing here, and are left out: ${fields.join(', ')}.`);
  for (const [name, count] of otherUsers)
    output.warning(
      `${counted(count, 'piece')} of the user ${plain(name)} in the file: import keeps everything for ${userId}.`,
    );
}

/** What was skipped, and how many of each. */
function kindsPassedOver(
  items: readonly ImportItem[],
  { unkeptMessages, expiredDetails }: Imported,
): Readonly<Record<string, number>> {
  const kinds = new Map<string, number>();
  const pass = (what: string, count: number): void => void kinds.set(what, (kinds.get(what) ?? 0) + count);
  for (const item of items) if (item.kind === 'passed-over') pass(item.what, 1);
  if (unkeptMessages > 0) pass('message that no transcript keeps', unkeptMessages);
  if (expiredDetails > 0) pass('detail that has expired since', expiredDetails);
  return Object.fromEntries(kinds);
}

/** Everything that can be found out before anything is written. */
async function rehearse(call: CommandCall, items: readonly ImportItem[]): Promise<Imported> {
  const { context, values, config } = call;
  const { account_id, user_id, session_id: named } = context.identity;
  refuseFileAsRoot(config);
  // A store that is not there is not made to look into it.
  const isThere =
    config.databaseUrl !== undefined ||
    ['sessions', 'users'].some((name) => existsSync(join(config.storageRoot, name)));
  if (isThere) await refuseForeignSessions(call, items);
  return rehearseImport(items, {
    principal: { account_id, user_id, role: 'admin' },
    config,
    present: isThere ? await context.memory() : undefined,
    named,
    fallback: context.sessionId('import'),
    skipsDeleted: values.isOn('skip-deleted'),
  });
}

async function takeIn(call: CommandCall, items: readonly ImportItem[]): Promise<Imported> {
  const { context, output, signal, values } = call;
  const { session_id: named } = context.identity;
  using bar = new ProgressBar(output, 'Importing', 'pieces');
  let done = 0;
  const step = (count: number): void => {
    done += count;
    bar.update(done, items.length);
    signal.throwIfAborted();
  };
  const tally = newTally();
  try {
    const options = {
      named,
      fallback: context.sessionId('import'),
      makeFallback: () => context.session('import'),
      skipsDeleted: values.isOn('skip-deleted'),
      step,
    };
    return await importInto(await context.memory(), items, options, tally);
  } catch (error) {
    bar.end();
    output.note(`Imported before this happened: ${piecesInWords({ ...tally.fresh }) || 'nothing'}.`);
    throw placed(error, items);
  } finally {
    bar.end();
  }
}

/** The same with the line or entry of the memory that it is about, when it is about one. */
function placed(error: unknown, items: readonly ImportItem[]): unknown {
  const cause = error instanceof UsageError ? error.cause : error;
  if (!LonghandError.isInstance(cause)) return error;
  const item = items.find((one) => one.kind === 'memory' && one.memory.id === cause.details.memory_id);
  if (item === undefined || cause.details.memory_id === undefined) return error;
  return new UsageError(`${item.place}: ${(error as Error).message}`, { cause }, cause.code);
}

/** Ids of sessions are unique in a store, across all users. */
async function refuseForeignSessions({ context }: CommandCall, items: readonly ImportItem[]): Promise<void> {
  const { account_id, user_id, session_id: named } = context.identity;
  const manager = await context.manager();
  const places = new Map<string, string>();
  for (const item of items) {
    const id = named ?? ('sessionId' in item ? item.sessionId : undefined);
    if (id !== undefined && !places.has(id)) places.set(id, item.place);
  }
  for (const [id, place] of places) {
    const session = await manager.loadSession(id).catch((error: unknown) => {
      if (hasCode(error, 'INVALID_ID')) throw new ImportRefusal(place, error.message);
      if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
    });
    if (session === undefined || (session.user_id === user_id && session.account_id === account_id)) continue;
    throw new ImportRefusal(
      place,
      places.size === 1
        ? `The session ${id} here belongs to another user. Name another one with --session.`
        : `The session ${id} here belongs to another user. Session ids are unique in a store: import the ${places.size} sessions of this file into a store of their own with --storage-root, or take them out one by one and name another for each with --session.`,
    );
  }
}
