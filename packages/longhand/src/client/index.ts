export {
  type CallOptions,
  type ClientOptions,
  type InputOf,
  LonghandClient,
  type OperationName,
  type OutputOf,
  ProblemError,
} from './http-client.ts';
export type { Operations } from './operations.generated.ts';
export { readEvents, type ServerEvent } from './read-events.ts';
