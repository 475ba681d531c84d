import type { PieceCounts, Receipt } from 'longhand';
import { confirm } from '../ask.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted } from '../output.ts';

export const forget: CommandRun = async (call) => {
  const { values, output, workplace, signal } = call;
  const selection = selectionOf(call);
  const counts = await workplace.run<PieceCounts>('previewForgetting', selection);
  const pieces = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (values.isOn('dry-run')) {
    if (output.isJson) output.json(counts);
    else output.line(pieces === 0 ? 'Nothing would be forgotten.' : `Would forget ${inWords(counts)}.`);
    if (pieces > 0) await tellWhatStays(call, counts.messages);
    return EXIT.done;
  }
  if (pieces === 0) {
    if (output.isJson) output.json(counts);
    output.note('There is nothing to forget.');
    return EXIT.notFound;
  }
  if (!values.isOn('yes')) {
    const isPerson = output.isInteractive && process.stdin.isTTY;
    if (!isPerson) throw new UsageError('Nobody can be asked here: say --yes, or look first with --dry-run.');
    await tellWhatStays(call, counts.messages);
    if (!(await confirm(`Forget ${inWords(counts)} for good?`, signal))) {
      output.note('Nothing was forgotten.');
      return EXIT.interrupted;
    }
  }
  const receipt = await workplace.run<Receipt>('forget', {
    ...selection,
    everything: values.isOn('everything') ? true : undefined,
  });
  if (output.isJson) output.json(receipt);
  else output.line(`Forgot ${inWords(receipt.pieces)}. ${output.dim(`Receipt ${receipt.receipt_id}`)}`);
  if (values.isOn('yes')) await tellWhatStays(call, 0);
  return EXIT.done;
};

/**
 * Nobody knows which other messages say the same: they do not go with it, and whoever forgets must hear that, where
 * there are any.
 * @param going how many messages are still to go
 */
async function tellWhatStays(call: CommandCall, going: number): Promise<void> {
  const { values, output } = call;
  if (values.isOn('everything') || output.isJson || !(await hasMoreMessages(call, going))) return;
  output.note(
    'Answers and other messages that repeat it stay in the transcript: forget them by their ids, or a whole session with --session and --everything.',
  );
}

async function hasMoreMessages({ workplace }: CommandCall, than: number): Promise<boolean> {
  const memory = await workplace.memory();
  let messages = 0;
  for (const { id } of await memory.listSessions()) {
    messages += await (await memory.conversation(id)).transcript.count();
    if (messages > than) return true;
  }
  return false;
}

function selectionOf({ values, positionals, workplace }: CommandCall): Readonly<Record<string, unknown>> {
  const [topic, start, end] = [values.text('topic'), values.text('from'), values.text('to')];
  refuseWrongTime('--from', start);
  refuseWrongTime('--to', end);
  if ((start === undefined) !== (end === undefined)) {
    const [given, missing] = start === undefined ? ['--to', '--from'] : ['--from', '--to'];
    throw new UsageError(`${given} needs ${missing}, so that it is plain where the time begins and ends.`);
  }
  const ways = [positionals.length > 0, topic !== undefined, start !== undefined, values.isOn('everything')];
  const chosen = ways.filter(Boolean).length;
  if (chosen === 0)
    throw new UsageError('Say what to forget: ids, --topic, --from and --to, or --everything.');
  if (chosen > 1) throw new UsageError('Say it in one way: ids, --topic, --from and --to, or --everything.');
  return {
    session_id: workplace.identity.session_id,
    ids: positionals.length === 0 ? undefined : [...positionals],
    topic,
    time_range: start === undefined ? undefined : { start, end },
  };
}

/** ISO 8601, as the library takes it. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

function refuseWrongTime(option: string, time: string | undefined): void {
  if (time === undefined || (TIME.test(time) && !Number.isNaN(Date.parse(time)))) return;
  throw new UsageError(
    `${option} must be a day such as 2026-01-10, or a time such as 2026-01-10T14:30:00Z, not ${JSON.stringify(time)}.`,
  );
}

type Counted = Omit<PieceCounts, 'unread_sessions'>;

const NAMES: Readonly<Record<keyof Counted, readonly [string, string]>> = {
  sessions: ['session', 'sessions'],
  memories: ['memory', 'memories'],
  messages: ['message', 'messages'],
  details: ['detail', 'details'],
  notes: ['document of notes', 'documents of notes'],
  note_lines: ['line of notes', 'lines of notes'],
  agents: ['agent', 'agents'],
};

function inWords({ unread_sessions: unread = 0, ...counts }: PieceCounts): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const words = parts.map(([key, count]) => counted(count, ...NAMES[key as keyof Counted])).join(', ');
  const uncounted =
    unread === 0
      ? ''
      : `, not counting what is in ${counted(unread, 'session', 'sessions')} that cannot be read`;
  return `${words || 'nothing'}${uncounted}`;
}
