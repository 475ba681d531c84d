import type { Needed } from './access.ts';

/** What the server answers beside its operations: there is nothing in it for the command line or an agent. */
export interface ServerRoute extends Needed {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
}

export const SERVER_ROUTES = {
  watchChanges: { name: 'watchChanges', path: '/api/events', methods: ['GET'], access: 'read' },
  readMetrics: { name: 'readMetrics', path: '/metrics', methods: ['GET'], access: 'admin' },
  /** Which tools a caller has there follows from the access that each needs. */
  speakMcp: { name: 'mcp', path: '/mcp', methods: ['GET', 'POST', 'DELETE'], access: 'read' },
} as const satisfies Readonly<Record<string, ServerRoute>>;
