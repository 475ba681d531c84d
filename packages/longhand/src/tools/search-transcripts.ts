import type { ArchivedMessage } from '../core/messages.ts';
import { ifRefused } from '../layers/failures.ts';
import type { LayerContext } from '../layers/layer-context.ts';
import { searchTexts } from '../layers/search/text-search.ts';
import type { Transcripts } from '../layers/transcript/index.ts';

/** No index holds messages: a search reads them as they are, so there is a bound to how many. */
const MOST_SEARCHED = 4_000;

export interface FoundMessages {
  readonly messages: readonly {
    readonly sessionId: string;
    readonly message: ArchivedMessage;
    /** How much of what was asked for it holds, as that of memories: 0 to 1. */
    readonly match: number;
  }[];
  /** Of how many sessions not all messages were searched. */
  readonly partlySearched: number;
}

/**
 * The messages that a text asks for, best first, by words and by meaning; 10 when no limit is named.
 * @param sessionIds the first ones are searched first @throws ValidationError INVALID_QUERY
 */
export async function searchTranscripts(
  context: LayerContext,
  transcripts: Transcripts,
  sessionIds: readonly string[],
  text: string,
  limit?: number,
): Promise<FoundMessages> {
  const texts: { sessionId: string; message: ArchivedMessage; text: string; timestamp: string }[] = [];
  let partlySearched = 0;
  for (const sessionId of sessionIds) {
    try {
      const messages = await transcripts.latest(sessionId, MOST_SEARCHED - texts.length);
      if (messages.length < (await transcripts.count(sessionId))) partlySearched++;
      for (const message of messages)
        texts.push({ sessionId, message, text: message.content, timestamp: message.timestamp });
    } catch (error) {
      // One that was deleted meanwhile, or cannot be read.
      ifRefused(error);
    }
  }
  const found = await searchTexts(context, text, texts, limit);
  const messages = found.map(({ sessionId, message, match }) => ({ sessionId, message, match }));
  return { messages, partlySearched };
}
