import type { Answer } from './answer.ts';
import type { HttpCaller } from './caller.ts';

/** A request that its caller may make. */
export interface Asked {
  readonly request: Request;
  readonly caller: HttpCaller;
  readonly requestId: string;
  /** What stands in the path, by its name. */
  readonly names: Readonly<Record<string, string>>;
  /** Ends the connection in the middle of an answer. Whether there is one. */
  readonly cut: () => boolean;
}

/** What a route answers with. */
export type Reply = Answer | Response;
