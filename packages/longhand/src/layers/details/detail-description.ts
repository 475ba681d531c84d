import { toDescriptionLine } from '../../core/memory-ref.ts';
import type { Summariser } from '../../core/summariser.ts';
import { within } from '../failures.ts';
import type { ScannedContent } from './detail-scan.ts';

export interface Description {
  readonly text: string;
  /** The summariser's name, `extractive`, or `caller`. */
  readonly method: string;
}

export const EXTRACTIVE = 'extractive';

/** What a text holds, without a model. @param status how the command or the tool ended, when that is known */
export type Extract = (content: ScannedContent, status?: string) => string;

/** Who writes descriptions, and how long it may take. */
export interface Describer {
  readonly extract: Extract;
  readonly summariser: Summariser | undefined;
  readonly timeoutMs: number;
}

interface DescribeHint {
  readonly status?: string;
  readonly command?: string;
  readonly type?: string;
}

/**
 * By the model when there is one; extractive when there is none, or when it fails, says nothing or takes too
 * long: a value is stored whatever the model does. It gets the beginning and the end, never a large value whole.
 */
export async function describeWith(
  { summariser, timeoutMs, extract }: Describer,
  content: ScannedContent,
  hint: DescribeHint,
): Promise<Description> {
  const extractive = { text: extract(content, hint.status), method: EXTRACTIVE };
  if (summariser?.describe === undefined || !content.isUtf8) return extractive;
  const { command, type } = hint;
  const asked = {
    ...(command === undefined ? {} : { command }),
    ...(type === undefined ? {} : { type }),
  };
  try {
    const answer = await within(timeoutMs, summariser.describe(excerptOf(content), asked), undefined);
    const text = typeof answer === 'string' ? toDescriptionLine(answer) : '';
    return text === '' ? extractive : { text, method: summariser.name };
  } catch {
    return extractive;
  }
}

function excerptOf({ whole, head, tail, sizeBytes }: ScannedContent): string {
  // Characters, not bytes: both are limits against the same flood.
  if (whole !== undefined && whole.length <= head.length) return whole;
  return `${head}\n[… ${sizeBytes} bytes in all …]\n${tail}`;
}
