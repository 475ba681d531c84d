import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const mcp: CommandRun = async ({ config, workplace, output, signal }) => {
  const { runMcp } = await import('../../run-mcp.ts');
  await runMcp(config, workplace.identity, { signal, onError: (error) => output.warning(error.message) });
  return EXIT.done;
};
