import type { ForgetPreview, PieceCounts, Receipt, ScopedMemory } from 'longhand';
import type { AnswerOf } from '../../operations/operation.ts';
import { privacyOperations } from '../../operations/privacy.ts';
import { confirm } from '../ask.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted, type Output, plain, shortened } from '../output.ts';
import { piecesInWords } from '../piece-words.ts';
import { beginningOf, endOf, onTheClock } from '../time-option.ts';

export const forget: CommandRun = async (call) => {
  const { values, output, signal } = call;
  const receipts = values.text('replay');
  if (receipts !== undefined)
    return (await import('./replay.ts')).replay(call, receipts, (written) => tellReceipt(output, written));
  const request = requestOf(call, await selectionOf(call));
  const preview = await request.preview();
  const { time_range: _moments, items = [], items_left_out: more = 0, ...counts } = preview;
  const pieces = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const what = `${inWords(counts)}${request.ofWhom}`;
  if (values.isOn('dry-run')) {
    if (output.isJson) return output.json(preview);
    showGoing(output, items, more);
    output.sentence(pieces === 0 ? `Nothing would be forgotten${request.ofWhom}.` : `Would forget ${what}.`);
    if (pieces > 0) await tellWhatStays(call, counts.messages);
    return EXIT.done;
  }
  // What cannot be counted goes too, such as the rest of an interrupted forgetting: that needs no second confirmation.
  if (pieces === 0 && !values.isOn('yes')) {
    if (output.isJson) output.json(preview);
    output.note(
      `There is nothing to forget.${hintOfText(call)} If a forgetting was cut short before, --yes finishes it.`,
    );
    return EXIT.notFound;
  }
  if (!values.isOn('yes')) {
    const isPerson = output.isInteractive && process.stdin.isTTY;
    if (!isPerson)
      throw new UsageError('There is no terminal to ask on: say --yes, or look first with --dry-run.');
    showGoing(output, items, more);
    await tellWhatStays(call, counts.messages);
    if (!(await confirm(`Forget ${what} for good?`, signal))) {
      output.note('Nothing was forgotten.');
      return EXIT.interrupted;
    }
  }
  const receipt = await request.forget();
  if (output.isJson) output.json(receipt);
  if (receipt.receipt_id === null) {
    output.note(`There is nothing to forget.${hintOfText(call)}`);
    return EXIT.notFound;
  }
  tellReceipt(output, receipt);
  if (values.isOn('yes')) await tellWhatStays(call, 0);
};

function tellReceipt(output: Output, { pieces, receipt_id, not_found, still_held }: Written): void {
  if (!output.isJson) output.sentence(`Forgot ${inWords(pieces)}. ${output.dim(`Receipt ${receipt_id}`)}`);
  const [missing, held] = [not_found ?? [], still_held ?? []];
  if (missing.length > 0) output.note(`Nothing was found of ${missing.map(plain).join(', ')}.`);
  if (held.length > 0)
    output.note(
      `The files of ${held.join(', ')} still hold deleted bytes: run VACUUM (FULL, ANALYZE) on them as their owner, unless a server rewrites them later.`,
    );
}

type Written = Receipt | AnswerOf<typeof privacyOperations.forget>;

/** For a person who gave words in place of ids. */
function hintOfText({ positionals }: CommandCall): string {
  if (positionals.length === 0 || positionals.some((id) => /^a?mem_/.test(id))) return '';
  const words = plain(positionals.join(' '));
  const quoted = /^[\w-]+$/.test(words) ? words : JSON.stringify(words);
  return ` No memory, message or detail has this id; longhand forget --text ${quoted} takes all that holds these words.`;
}

/** The texts, and why each goes where it was not asked for itself. */
function showGoing(output: Output, items: readonly Going[], more: number): void {
  for (const { kind, text, id, reason } of items)
    output.sentence(
      `  ${kind}  ${shortened(text || id, TEXT_CHARACTERS)}${reason === 'asked for' ? '' : output.dim(` (${reason})`)}`,
    );
  if (more > 0) output.line(`  … and ${counted(more, 'other')}`);
}

type Going = NonNullable<Preview['items']>[number];
type Preview = Awaited<ReturnType<ScopedMemory['previewForgetting']>>;
const TEXT_CHARACTERS = 100;

interface Request {
  /** Appended to what would go: whose it is, or from which time, where that may be more than the user expects. */
  readonly ofWhom: string;
  preview(): Promise<Partial<Pick<Preview, 'items' | 'items_left_out'>> & ForgetPreview>;
  forget(): Promise<AnswerOf<typeof privacyOperations.forget>>;
}

function requestOf(call: CommandCall, selection: Selection): Request {
  const { values, context } = call;
  const agent = values.text('agent');
  if (agent !== undefined) return requestOfAgent(call, agent);
  const isWhole = values.isOn('everything');
  const { user_id, session_id } = context.identity;
  const whole = session_id === undefined ? `the user ${plain(user_id)}` : `the session ${plain(session_id)}`;
  const { time_range: range } = selection;
  const shown = (moment: string): string => onTheClock(moment, context.config.timeZone);
  return {
    ofWhom: isWhole
      ? ` (all of ${whole})`
      : range === undefined
        ? ''
        : ` (from ${shown(range.start)} to ${shown(range.end)})`,
    preview: () => context.run(privacyOperations.previewForgetting, selection),
    forget: () =>
      context.run(privacyOperations.forget, { ...selection, everything: isWhole ? true : undefined }),
  };
}

/** An agent is forgotten for all whom it worked for, so whatever would narrow it to some of them is refused. */
function requestOfAgent({ values, positionals, context }: CommandCall, agent: string): Request {
  if (values.text('topic') !== undefined || values.text('from') !== undefined)
    throw new UsageError(
      'An agent is forgotten as a whole, or memories of its journal and core by their ids: --agent goes with ids or --everything.',
    );
  if (values.text('user') !== undefined || context.identity.session_id !== undefined)
    throw new UsageError(
      '--agent means the agent and all that it wrote, for every user and in every session: it goes with no --user and no --session.',
    );
  const request = { agent, ...(positionals.length === 0 ? {} : { ids: [...positionals] }) };
  return {
    ofWhom: positionals.length === 0 ? ` (all of the agent ${plain(agent)}, for every user)` : '',
    preview: async () => {
      const memory = await context.memory();
      const counts = await memory.previewForgetting(request);
      // An agent that only took part in conversations has left pieces without ever having been created.
      const { items: _items, items_left_out: _more, ...numbers } = counts;
      if (Object.values(numbers).every((count) => count === 0)) await (await memory.agent(agent)).get();
      return counts;
    },
    forget: async () => (await context.memory()).forget(request),
  };
}

/**
 * Which other messages say the same is unknown. They stay, and where there are any, the user who forgets is told.
 * @param going how many messages are still to go
 */
async function tellWhatStays(call: CommandCall, going: number): Promise<void> {
  const { values, output } = call;
  if (values.isOn('everything') || values.text('agent') !== undefined) return;
  if (output.isJson || !(await hasMoreMessages(call, going))) return;
  const isByText = values.text('text') !== undefined;
  const what = isByText ? 'Messages that say it in other words' : 'Answers and other messages that repeat it';
  output.note(
    `${what} stay in the transcript: forget them by their ids, or a whole session with --session and --everything.`,
  );
}

async function hasMoreMessages({ context }: CommandCall, than: number): Promise<boolean> {
  const memory = await context.memory();
  let messages = 0;
  for (const { id } of await memory.listSessions()) {
    messages += await (await memory.conversation(id)).transcript.count();
    if (messages > than) return true;
  }
  return false;
}

interface Selection extends Readonly<Record<string, unknown>> {
  readonly time_range: { readonly start: string; readonly end: string } | undefined;
}

async function selectionOf({ values, positionals, context }: CommandCall): Promise<Selection> {
  const [topic, from, to] = [values.text('topic'), values.text('from'), values.text('to')];
  // A typo in a time is named before what is missing beside it. A day is meant as a whole, on both sides.
  const start = from === undefined ? undefined : await beginningOf('from', from, context);
  const end = to === undefined ? undefined : await endOf('to', to, context);
  if ((start === undefined) !== (end === undefined)) {
    const [given, missing] = start === undefined ? ['--to', '--from'] : ['--from', '--to'];
    throw new UsageError(`${given} needs ${missing}, so that it is plain where the time begins and ends.`);
  }
  const text = values.text('text');
  const ways = [
    positionals.length > 0,
    text !== undefined,
    topic !== undefined,
    start !== undefined,
    values.isOn('everything'),
  ];
  const chosen = ways.filter(Boolean).length;
  if (chosen === 0)
    throw new UsageError('Say what to forget: ids, --text, --topic, --from and --to, or --everything.');
  if (chosen > 1)
    throw new UsageError('Say it in one way: ids, --text, --topic, --from and --to, or --everything.');
  const range = start === undefined || end === undefined ? undefined : { start, end };
  if (range !== undefined && range.start > range.end)
    throw new UsageError(`--from (${start}) lies after --to (${end}).`);
  return {
    session_id: context.identity.session_id,
    ids: positionals.length === 0 ? undefined : [...positionals],
    topic,
    text,
    time_range: range,
  };
}

function inWords({ unread_sessions: unread = 0, ...counts }: PieceCounts): string {
  const uncounted =
    unread === 0 ? '' : `, not counting what cannot be read in ${counted(unread, 'session', 'sessions')}`;
  return `${piecesInWords({ ...counts }) || 'nothing'}${uncounted}`;
}
