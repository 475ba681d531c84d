import { agentOperations } from './agents.ts';
import { analyticsOperations } from './analytics.ts';
import { chatOperations } from './chat.ts';
import { contextOperations } from './context.ts';
import { detailOperations } from './details.ts';
import { healthOperations } from './health.ts';
import { importOperations } from './imports.ts';
import { keyOperations } from './keys.ts';
import { memberOperations } from './members.ts';
import { memoryOperations } from './memories.ts';
import { noteOperations } from './notes.ts';
import type { Operation } from './operation.ts';
import { privacyOperations } from './privacy.ts';
import { proposalOperations } from './proposals.ts';
import { searchOperations } from './search.ts';
import { searchLayersOperations } from './search-layers.ts';
import { sessionOperations } from './sessions.ts';
import { signInOperations } from './sign-in.ts';
import { userMemoryOperations } from './user-memories.ts';
import { whiteboardOperations } from './whiteboard.ts';

/** Everything the server can do. Each operation has checked its own types; a table of them knows only the shape. */
export const OPERATIONS = Object.entries({
  ...sessionOperations,
  ...memoryOperations,
  ...userMemoryOperations,
  ...searchOperations,
  ...searchLayersOperations,
  ...healthOperations,
  ...agentOperations,
  ...noteOperations,
  ...detailOperations,
  ...contextOperations,
  ...chatOperations,
  ...analyticsOperations,
  ...whiteboardOperations,
  ...proposalOperations,
  ...privacyOperations,
  ...importOperations,
  ...keyOperations,
  ...memberOperations,
  ...signInOperations,
}).map(([name, definition]) => ({ name, ...definition })) as unknown as readonly Operation[];

/** @throws Error when there is none of this name: a mistake in the program */
export function operationNamed(name: string): Operation {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`There is no operation ${name}.`);
  return found;
}
