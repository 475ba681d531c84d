import type { CommandCall } from './command.ts';

/** The sessions that a command was given, or all of the user's. */
export async function sessionsOf({ positionals, context }: CommandCall): Promise<readonly string[]> {
  const { session_id } = context.identity;
  const named = [...positionals, ...(session_id === undefined ? [] : [session_id])];
  if (named.length > 0) return named;
  return (await (await context.memory()).listSessions()).map(({ id }) => id);
}
