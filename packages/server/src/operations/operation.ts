import type { z } from 'zod';
import type { FoundSession, Identity } from '../access/gate.ts';
import type { Services } from '../services.ts';
import { type Caller, checkAccess, type Needed } from './access.ts';

/**
 * Everything the server can do is an operation in one table. HTTP routes and the OpenAPI page are made from it, and
 * commands of the command line run it, so they cannot drift apart.
 */
interface OperationDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends Needed {
  /** One line for people. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  readonly http: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Names in braces are fields of the input: `/api/sessions/{session_id}/memories`. */
    readonly path: string;
    /** 200 when left out. */
    readonly status?: 200 | 201 | 202 | 204;
    /** Whether a ticket in the body is enough: `text/plain` too, since a page that is left can send no headers. */
    readonly takesTicket?: true;
    /** What to do in place of sending a body that is longer than the server takes. */
    readonly whenTooLong?: string;
    /** Its answer is not kept for a repeated request: what matters of it is in the cookie. */
    readonly setsCookie?: true;
  };
  /** One call of it, for the pages that describe the interface. */
  readonly example: OperationExample<Input, Output>;
  run(input: z.output<Input>, context: OperationContext): Promise<z.input<Output>>;
  /**
   * Names what will be made, where the caller has not, after a token of the request: the same request again, even
   * after a crash, then makes nothing twice.
   */
  readonly named?: (input: z.output<Input>, token: string) => z.output<Input>;
  /** The answer as it comes, for those who do not want to wait for all of it. */
  readonly stream?: {
    /** `events`: objects, of which the last holds the answer. `lines`: JSON, a line each. */
    readonly kind: 'events' | 'lines';
    run(input: z.output<Input>, context: OperationContext): AsyncIterable<unknown>;
  };
}

/** As it stands in the table. Its name is unique, a verb and what it works on: `addMemory`. */
export interface Operation extends OperationDefinition {
  readonly name: string;
}

/** What a skin needs of an operation to run it. */
export type Runnable = Pick<OperationDefinition, 'input' | 'output' | 'run' | 'stream'>;

/** What an operation answers. */
export type AnswerOf<Definition extends Pick<Runnable, 'output'>> = z.output<Definition['output']>;

/** A call as a client would make it, on an empty store once the calls that it comes after were made. Tests make them. */
interface OperationExample<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** The whole input, with what stands in the path. */
  readonly request: z.input<Input>;
  /** What comes back; ids, times and scores are others each time. For the operations that people meet first. */
  readonly answer?: z.input<Output>;
  /** The operations whose examples make what this one needs, in this order. */
  readonly after?: readonly string[];
  /** Calls that come right before it. What takes something away brings it along: the other examples need theirs. */
  readonly first?: readonly ExampleCall[];
}

interface ExampleCall {
  /** Its name. */
  readonly operation: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Fields of the example's request that only this call's answer can tell, with their names in it. */
  readonly gives?: Readonly<Record<string, string>>;
}

/** The session of a browser that a person has signed in with. */
export interface BrowserSession {
  readonly found: FoundSession | undefined;
  /** Starts it, or renews it. `undefined` when the server asks for no keys. */
  start(): Promise<{ readonly csrfToken: string; readonly expiresAtMs: number } | undefined>;
  end(): void;
}

export interface OperationContext extends Caller {
  readonly services: Services;
  /** Who was let in, when the server asks for keys. */
  readonly identity?: Identity;
  /** Over HTTP. */
  readonly browser?: BrowserSession;
  /** Names the request, when the caller did: the same for the same caller, operation and key. */
  readonly idempotencyToken?: string;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal?: AbortSignal;
  /** Told how far long work has come. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Keeps the types of input and output together, and runs nothing for a caller that may not. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
): OperationDefinition<Input, Output> {
  const { run, stream } = definition;
  return {
    ...definition,
    run: async (input, context) => {
      checkAccess(context, definition);
      return run(input, context);
    },
    ...(stream === undefined
      ? {}
      : {
          stream: {
            ...stream,
            run: (input, context) => {
              checkAccess(context, definition);
              return stream.run(input, context);
            },
          },
        }),
  };
}
