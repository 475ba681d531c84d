import type { ArchivedMessage, Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { Summary } from '../layers/summary/index.ts';
import { hasDeepArguments, messageTokens } from './message-tokens.ts';
import type { ContextNeeds } from './needs.ts';
import type { ContextSources, StoredMessage } from './sources.ts';

const PAGE_MESSAGES = 64;

type State = Awaited<ReturnType<ContextNeeds['transcripts']['state']>>;

/**
 * The end of a conversation, newest first: what other processes have archived since the window's first message and the
 * window does not hold; the window, which has the tool traffic and what is not archived yet; and what is before it in
 * the transcript, backwards, until there is more than can fit. So the cost is that of what is shown, however long the
 * conversation has become, and nothing older is shown while something newer is left out.
 */
export async function gatherConversation(
  needs: Pick<ContextNeeds, 'transcripts' | 'windows'>,
  sessionId: string,
  summary: Summary | undefined,
  roomTokens: number,
  counter: TokenCounter,
): Promise<Required<Pick<ContextSources, 'conversation' | 'earlierMessages'>>> {
  const held = await needs.windows.read(sessionId);
  const state = await needs.transcripts.state(sessionId);
  const firstIndex = summary?.summarized_count ?? 0;
  const unsummarised = firstIndex === 0 ? state.present : state.presentFrom(firstIndex);
  const window = unsummarisedOf(held, state, firstIndex).map(withoutDeepArguments);
  const archived = window.flatMap(({ id }) => {
    const index = id === undefined ? undefined : state.indexOf(id);
    return index === undefined || state.isGone(id!) ? [] : [index];
  });
  const windowStart = archived.length === 0 ? state.nextIndex : Math.min(...archived);
  const inWindow = new Set(window.map(({ id }) => id));
  /** At most so many messages before an index, until the room is full. */
  const readBackwards = async (
    count: number,
    usedTokens: number,
    before?: number,
  ): Promise<readonly ArchivedMessage[]> => {
    const messages: ArchivedMessage[] = [];
    let tokens = usedTokens;
    let to = before;
    for (let seen = 0; seen < count && tokens <= roomTokens; ) {
      const page = await needs.transcripts.latest(sessionId, Math.min(PAGE_MESSAGES, count - seen), to);
      to = page[0] === undefined ? undefined : state.indexOf(page[0].id);
      if (to === undefined) break;
      seen += page.length;
      const fresh = page.filter(({ id }) => !inWindow.has(id));
      messages.unshift(...fresh);
      tokens += weigh(fresh, counter);
    }
    return messages;
  };
  const sinceWindow = state.presentFrom(windowStart);
  const isWindowComplete = sinceWindow <= archived.length;
  const newer = isWindowComplete ? [] : await readBackwards(sinceWindow, 0);
  const before = Math.max(0, unsummarised - sinceWindow);
  const usedTokens = weigh(newer, counter) + weigh(window, counter);
  const older = await readBackwards(before, usedTokens, windowStart);

  const conversation = [...older, ...inOrder(window, newer, state)];
  const handed = archived.length + newer.length + older.length;
  return { conversation, earlierMessages: Math.max(0, unsummarised - handed) };
}

/** The window with the messages that other processes have archived meanwhile, each before the first that was archived later. */
function inOrder(
  window: readonly Message[],
  newer: readonly ArchivedMessage[],
  state: State,
): readonly StoredMessage[] {
  if (newer.length === 0) return window;
  const messages: StoredMessage[] = [];
  let next = 0;
  for (const message of window) {
    const index = message.id === undefined ? undefined : state.indexOf(message.id);
    while (index !== undefined && next < newer.length && state.indexOf(newer[next]!.id)! < index)
      messages.push(newer[next++]!);
    messages.push(message);
  }
  return [...messages, ...newer.slice(next)];
}

/**
 * Without what the summary says already: the messages that it covers, and the tool traffic of their turns. Messages with
 * an id that the transcript does not know are waiting to be archived, and stay.
 */
function unsummarisedOf(window: readonly Message[], state: State, firstIndex: number): readonly Message[] {
  if (firstIndex === 0) return window;
  const isCovered = ({ id }: Message): boolean => {
    const index = id === undefined ? undefined : state.indexOf(id);
    return index !== undefined && index < firstIndex;
  };
  const lastCovered = window.findLastIndex(isCovered);
  return window.filter((message, at) => {
    if (at > lastCovered) return true;
    const { id, role, tool_calls } = message;
    const isTraffic = role === 'tool' || (tool_calls?.length ?? 0) > 0;
    return !isCovered(message) && !isTraffic && id !== undefined;
  });
}

/** What cannot be weighed must not end every turn until it has left the window. */
function withoutDeepArguments(message: Message): Message {
  if (!hasDeepArguments(message)) return message;
  const tool_calls = message.tool_calls!.map((call) => ({
    ...call,
    arguments: { left_out: 'nested too deep' },
  }));
  return { ...message, tool_calls };
}

function weigh(messages: readonly Message[], counter: TokenCounter): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, counter), 0);
}
