import { LonghandError } from '../core/errors.ts';
import type { ContextNeeds } from './needs.ts';
import type { Capture } from './shorten.ts';

/**
 * A placeholder must have something behind it before a model sees it. What cannot be kept, because it is larger than
 * any session may hold or because the disk refuses, does not end the conversation: its key goes to `unkept` with the
 * reason, and the prompt is to be made again without the placeholder.
 * @returns whether anything was kept that was not there, and whether anything could not be kept
 */
export async function keepCaptures(
  { details }: Pick<ContextNeeds, 'details'>,
  { session, agent, user }: { readonly session: string; readonly agent?: string; readonly user: string },
  captures: readonly Capture[],
  unkept: Map<string, string>,
): Promise<{ readonly hasKept: boolean; readonly hasFailed: boolean }> {
  let hasKept = false;
  let hasFailed = false;
  for (const capture of captures) {
    const isKept = (): Promise<boolean> => details.holds(user, capture.key, capture.text.toWellFormed());
    if (await isKept()) continue;
    try {
      await details.keep(session, toValue(capture, agent), { user_id: user });
      hasKept = true;
    } catch (error) {
      if (!LonghandError.isInstance(error) || !BEARABLE.includes(error.name)) throw error;
      // Another process has kept it in this moment.
      if (error.code === 'ID_TAKEN' && (await isKept())) continue;
      unkept.set(capture.key, error.code);
      hasFailed = true;
    }
  }
  return { hasKept, hasFailed };
}

const BEARABLE = ['SizeLimitError', 'IOError', 'ConcurrencyError', 'ValidationError'];

const WHAT = {
  output: { description: 'tool output that was too long for the prompt', type: 'command_output' },
  message: { description: 'message that was too long for the prompt', type: 'message' },
  arguments: { description: 'tool arguments that were too long for the prompt', type: 'tool_arguments' },
} as const;

function toValue(
  { key, text, kind, message, promptId, name }: Capture,
  agentId: string | undefined,
): Parameters<ContextNeeds['details']['keep']>[1] {
  const { id, role, timestamp, provenance } = message;
  const author = role === 'system' ? 'user' : role;
  const metadata: Record<string, string> = { role };
  // A request to forget a time goes by when the text was said, not by when it was kept.
  const about = { message_id: id, prompt_id: promptId, message_timestamp: timestamp, name };
  for (const [field, value] of Object.entries(about))
    if (value !== undefined) metadata[field] = keepable(value);
  return {
    // A tool's text may be torn anywhere; what cannot be expressed is shown as a replacement character.
    content: text.toWellFormed(),
    key,
    ...WHAT[kind],
    metadata,
    ...(agentId === undefined ? {} : { agentId }),
    provenance: { ...(provenance ?? { author }), ...(id === undefined ? {} : { message_id: keepable(id) }) },
  };
}

const LONGEST = 128;

/** Ids and names come from clients and tools of all kinds. */
function keepable(text: string): string {
  return text.slice(0, LONGEST).replaceAll('\0', '�').toWellFormed();
}
