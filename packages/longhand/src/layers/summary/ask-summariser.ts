import { LIMITS } from '../../core/limits.ts';
import type { Summariser, SummaryRequest } from '../../core/summariser.ts';
import { findTextFault } from '../../core/text.ts';
import { within } from '../failures.ts';

/** What came of asking: a text that can be kept, or the reason why there is none. */
type SummariserAnswer =
  | { readonly text: string; readonly reason?: never }
  | { readonly text?: never; readonly reason: string };

/**
 * Asks a summariser once. Whatever goes wrong is an answer, never an error: a conversation does not end because
 * a model does. The reason holds no text of the summariser's, which might quote the conversation.
 */
export function askSummariser(
  summariser: Summariser,
  request: SummaryRequest,
  timeoutMs: number,
): Promise<SummariserAnswer> {
  return within(timeoutMs, ask(summariser, request), { reason: `no answer within ${timeoutMs} ms` });
}

async function ask(summariser: Summariser, request: SummaryRequest): Promise<SummariserAnswer> {
  let answer: unknown;
  try {
    answer = await summariser.summarise(request);
  } catch (error) {
    return { reason: `failed with ${error instanceof Error ? error.name : typeof error}` };
  }
  if (typeof answer !== 'string' || answer.trim() === '') return { reason: 'gave no text' };
  const text = answer.trim();
  if (text.length > LIMITS.summaryCharacters)
    return { reason: `gave more than ${LIMITS.summaryCharacters} characters` };
  const fault = findTextFault(text);
  return fault === undefined ? { text } : { reason: `gave a text that ${fault}` };
}
