import type { SessionRef } from './layers/session-ref.ts';
import type { Layers } from './layers.ts';

/**
 * The layers as one principal has them: the methods whose first argument is the scope, with the scope filled in, so that
 * the caller cannot name another.
 */

export const AGENT_METHODS = ['get', 'find', 'ensure', 'update', 'delete'] as const;
export const JOURNAL_METHODS = [
  ...(['save', 'list', 'search', 'get', 'find', 'edit', 'history', 'pin', 'share'] as const),
  ...(['moveToCore', 'delete', 'forPrompt', 'memoryContext', 'export', 'forget'] as const),
] as const;
export const NOTES_METHODS = [
  ...(['read', 'search', 'apply', 'versions', 'readVersion', 'restore'] as const),
  ...(['diff', 'watch', 'forget', 'forgetText', 'redact'] as const),
] as const;
export const DETAIL_METHODS = ['get', 'retrieve', 'stream', 'list', 'search', 'setActive', 'remove'] as const;
const TRANSCRIPT_METHODS = ['archive', 'messages', 'latest', 'count', 'batches', 'state'] as const;
const SUMMARY_METHODS = [
  ...(['current', 'inUse', 'summaryFields', 'workingContext', 'isDue', 'update', 'recompute'] as const),
] as const;

type WithoutFirst<Method> = Method extends (first: string, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;
export type Bound<Layer, Name extends keyof Layer> = { readonly [Key in Name]: WithoutFirst<Layer[Key]> };
export type BoundTwice<Layer, Name extends keyof Layer> = {
  readonly [Key in Name]: WithoutFirst<WithoutFirst<Layer[Key]>>;
};

/** What was said in one session: each method is that of the layer, without the session's id. */
export interface ScopedConversation {
  readonly transcript: Bound<Layers['transcripts'], (typeof TRANSCRIPT_METHODS)[number]>;
  readonly summary: Bound<Layers['summaries'], (typeof SUMMARY_METHODS)[number]>;
  readonly window: Bound<Layers['windows'], 'append' | 'read' | 'drop'>;
}

/** @param session that the methods are about: a later one of the same id is another */
export function conversationIn(
  { transcripts, summaries, windows, sessions }: Layers,
  session: SessionRef,
): ScopedConversation {
  const { sessionId } = session;
  const around: Around = (work) => sessions.read(session, work);
  return {
    transcript: {
      ...bind<ScopedConversation['transcript']>(transcripts, TRANSCRIPT_METHODS, [sessionId], around),
      archive: (messages, options) => transcripts.archive(session, messages, options),
    },
    summary: bind(summaries, SUMMARY_METHODS, [sessionId], around),
    window: {
      append: (messages) => around(() => windows.append(session, messages)),
      read: () => around(() => windows.read(session)),
      drop: () => around(() => windows.drop(session)),
    },
  };
}

/** What is done around each call of a method that gives a promise. */
type Around = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Some methods of a layer, with the scope filled in. */
export function bind<Result>(
  layer: object,
  names: readonly string[],
  scope: readonly string[],
  around?: Around,
): Result {
  const methods = layer as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  const bound = names.map((name) => {
    const call = (...rest: unknown[]): unknown => methods[name]!(...scope, ...rest);
    if (around === undefined) return [name, call];
    return [name, (...rest: unknown[]) => around(async () => call(...rest))];
  });
  return Object.fromEntries(bound) as Result;
}
