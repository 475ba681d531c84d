import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const mcp: CommandRun = async ({ config, workplace, output, signal }) => {
  const [{ openManager }, { serveMcpOverStdio }] = await Promise.all([
    import('../../open-store.ts'),
    import('../../mcp/stdio.ts'),
  ]);
  await using manager = openManager(config);
  const { session_id, ...principal } = workplace.identity;
  // An unusable folder should stop the start, not surprise the first call.
  await manager.listSessions(principal.user_id);
  await serveMcpOverStdio(
    { memory: manager.as(principal), ...(session_id === undefined ? {} : { sessionId: session_id }) },
    { signal, onError: (error) => output.warning(error.message) },
  );
  return EXIT.done;
};
