import type { ArchivedMessage } from './messages.ts';

/** Writes synopses: a model behind a provider, or the extractive one that is built in. */
export interface Summariser {
  /** Goes into the record: who wrote a summary is part of where it came from. */
  readonly name: string;
  /**
   * A synopsis of what `previous` says and of these messages, which come after it.
   * @throws anything: the old summary then stays, and the messages stay unsummarised
   */
  summarise(request: SummaryRequest): Promise<string>;
  /** A line that says what a large text holds; without it the description is extractive. */
  describe?(text: string, hint: { readonly command?: string; readonly type?: string }): Promise<string>;
}

export interface SummaryRequest {
  readonly previous: string | undefined;
  readonly messages: readonly ArchivedMessage[];
}
