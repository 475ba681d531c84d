import type { CommandRun } from '../command.ts';

export const mcp: CommandRun = async ({ config, context, output, signal }) => {
  const { runMcp } = await import('../../run-mcp.ts');
  await runMcp(config, context.identity, { signal, onError: (error) => output.warning(error.message) });
};
