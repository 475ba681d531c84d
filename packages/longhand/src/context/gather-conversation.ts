import type { ArchivedMessage, Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { messageTokens } from './message-tokens.ts';
import type { ContextNeeds, CurrentSummary } from './needs.ts';
import type { StoredMessage } from './sources.ts';

/**
 * The end of a conversation: from the window, which has the tool traffic and what is not archived yet, and before it
 * from the transcript, backwards, until there is more than can fit. So the cost is that of what is shown, however long
 * the conversation has become.
 */
export interface Conversation {
  readonly messages: readonly StoredMessage[];
  /** Unsummarised messages before those. */
  readonly earlierMessages: number;
}

const PAGE_MESSAGES = 64;

export async function gatherConversation(
  needs: Pick<ContextNeeds, 'transcripts' | 'windows'>,
  sessionId: string,
  summary: CurrentSummary | undefined,
  roomTokens: number,
  counter: TokenCounter,
): Promise<Conversation> {
  const window = await needs.windows.read(sessionId);
  const state = await needs.transcripts.state(sessionId);
  const firstIndex = summary?.summarized_count ?? 0;
  const unsummarised = firstIndex === 0 ? state.present : state.presentFrom(firstIndex);
  const indexes = window.flatMap(({ id }) => (id === undefined ? [] : (state.indexOf(id) ?? [])));
  const windowEnd = indexes.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...indexes);
  const inWindow = new Set(window.map(({ id }) => id));

  const before: ArchivedMessage[] = [];
  const after: ArchivedMessage[] = [];
  let tokens = weigh(window, counter);
  let seen = 0;
  let to: number | undefined;
  while (seen < unsummarised && tokens <= roomTokens) {
    const page = await needs.transcripts.latest(sessionId, Math.min(PAGE_MESSAGES, unsummarised - seen), to);
    if (page.length === 0) break;
    seen += page.length;
    const fresh = page.filter(({ id }) => !inWindow.has(id));
    after.unshift(...fresh.filter(({ id }) => state.indexOf(id)! > windowEnd));
    before.unshift(...fresh.filter(({ id }) => state.indexOf(id)! <= windowEnd));
    tokens += weigh(fresh, counter);
    to = state.indexOf(page[0]!.id)!;
  }
  // The summary has them: what it covers is not said twice.
  const shown = window.filter(({ id }) => {
    const index = id === undefined ? undefined : state.indexOf(id);
    return index === undefined || index >= firstIndex;
  });
  return { messages: [...before, ...shown, ...after], earlierMessages: unsummarised - seen };
}

function weigh(messages: readonly Message[], counter: TokenCounter): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, counter), 0);
}
