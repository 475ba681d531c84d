import type { Answer } from './answer.ts';
import type { HttpCaller } from './caller.ts';
import type { PeekedBody } from './request-body.ts';

/** A request that its caller may make. */
export interface Asked {
  readonly request: Request;
  readonly caller: HttpCaller;
  readonly requestId: string;
  /** What stands in the path, by its name. */
  readonly names: Readonly<Record<string, string>>;
  /** What was read of the request to find out who asks. */
  readonly peeked?: PeekedBody;
  /** Ends the connection in the middle of an answer. Whether there is one. */
  readonly cut: () => boolean;
}

/** What a route answers with. */
export type Reply = Answer | Response;
