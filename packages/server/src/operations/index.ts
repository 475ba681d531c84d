import { memoryOperations } from './memories.ts';
import type { Operation } from './operation.ts';

/** Everything the server can do. */
export const OPERATIONS: readonly Operation[] = [...memoryOperations] as unknown as readonly Operation[];
