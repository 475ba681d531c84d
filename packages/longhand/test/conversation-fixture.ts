import type { Clock } from '../src/core/clock.ts';
import type { PartialConfig } from '../src/core/config.ts';
import type { EventFacts } from '../src/core/events.ts';
import type { ArchivedMessage } from '../src/core/messages.ts';
import type { LogStore } from '../src/core/store.ts';
import type { LayerContext } from '../src/layers/layer-context.ts';
import { Sessions } from '../src/layers/memories/sessions.ts';
import { Transcripts } from '../src/layers/transcript/transcript.ts';
import { FakeClock } from '../src/testing/index.ts';
import { openLayerContext } from './open-layer-context.ts';

export interface Conversation {
  readonly context: LayerContext;
  readonly transcripts: Transcripts;
  readonly events: EventFacts[];
}

/** What a process works with: each has its own memory of the same store. */
export function openConversation(
  store: LogStore,
  config: PartialConfig = {},
  clock: Clock = new FakeClock(),
): Conversation {
  const { context, events } = openLayerContext(store, config, clock);
  return { context, transcripts: new Transcripts(context), events };
}

/** A conversation with the session `one`. */
export async function startConversation(
  store: LogStore,
  config: PartialConfig = {},
  clock = new FakeClock(),
): Promise<Conversation & { readonly clock: FakeClock }> {
  const conversation = openConversation(store, config, clock);
  await new Sessions(conversation.context).create('ada', { session_id: 'one' });
  return { ...conversation, clock };
}

/** Messages from one number to before another, by turns of user and assistant. */
export function talk(from: number, to: number): ArchivedMessage[] {
  return Array.from({ length: to - from }, (_, i) => {
    const number = from + i;
    return {
      id: `m${number}`,
      role: number % 2 === 0 ? 'user' : 'assistant',
      content: `This is message number ${number}.`,
      timestamp: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
    };
  });
}

/** Every byte that a store holds, and the names of all places, as one text. */
export async function everythingIn(store: LogStore): Promise<string> {
  let text = '';
  for await (const { place, bytes } of store.scan()) text += `${place}\n${Buffer.from(bytes).toString()}\n`;
  return text;
}
