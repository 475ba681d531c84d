import type { Receipt } from 'longhand';
import { receipt } from '../../operations/privacy.ts';
import { confirm } from '../ask.ts';
import { type CommandCall, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted } from '../output.ts';
import { contentOf } from '../read-input.ts';

const OTHER_CHOICES = ['text', 'topic', 'from', 'to', 'session', 'agent', 'user'];

/** Forgets again what a restored backup has brought back, by receipts that were kept apart from it. */
export async function replay(
  { values, positionals, output, context, signal }: CommandCall,
  file: string,
  tell: (receipt: Receipt) => void,
): Promise<number> {
  const isNarrowed = OTHER_CHOICES.some((name) => values.text(name) !== undefined);
  if (isNarrowed || positionals.length > 0 || values.isOn('everything') || values.isOn('dry-run'))
    throw new UsageError(
      '--replay forgets what the receipts name, of every user: it goes only with --yes and --account.',
    );
  const receipts = await receiptsIn(file);
  const what = `what ${counted(receipts.length, 'receipt names', 'receipts name')}`;
  if (!values.isOn('yes')) {
    if (!output.isInteractive || !process.stdin.isTTY)
      throw new UsageError('There is no terminal to ask on: say --yes.');
    if (!(await confirm(`Forget again ${what}, for good?`, signal))) {
      output.note('Nothing was forgotten.');
      return EXIT.interrupted;
    }
  }
  const { privacy } = await (await context.manager()).layers();
  const written = await privacy.replay(receipts);
  if (output.isJson) output.json({ replayed: receipts.length, receipts: written });
  for (const one of written) tell(one);
  if (written.length === 0) output.note(`Nothing is there of ${what}.`);
  return EXIT.done;
}

/**
 * From lines of a ledger (`privacy/{account}.jsonl`, `erasure_ledger`), whose other records are skipped, an answer of
 * `/api/privacy/receipts`, or one receipt.
 * @throws UsageError when there is something else in the file
 */
async function receiptsIn(file: string): Promise<readonly Receipt[]> {
  const text = await contentOf(file);
  const whole = parsed(text) as { readonly receipts?: unknown } | undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = whole === undefined ? lines.map(parsed) : [whole.receipts ?? whole].flat();
  return values.flatMap((value, at) => {
    if (!['receipt', undefined].includes((value as { record?: string } | undefined)?.record)) return [];
    const found = receipt.safeParse(value);
    if (found.success) return [found.data as Receipt];
    throw new UsageError(`Entry ${at + 1} of ${file} is not a receipt. Nothing was forgotten.`);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
