import type { CommandRun } from '../command.ts';

export const serve: CommandRun = async ({ config, output, signal }) => {
  const { runServer } = await import('../../run-server.ts');
  const server = await runServer(config);
  const { url, firstKey } = server;
  if (output.isJson) output.json({ url, storage_root: config.storageRoot, first_key: firstKey ?? null });
  else {
    output.line(`${output.bold('Longhand')} listens on ${output.paint('cyan', url)}`);
    output.table([
      [output.dim('  API'), `${url}/docs`],
      [output.dim('  MCP'), `${url}/mcp`],
      [output.dim('  store'), config.storageRoot],
    ]);
    if (firstKey !== undefined) {
      output.line();
      output.line(`The first API key, shown this once: ${output.bold(firstKey)}`);
    }
    output.note(output.dim('Ctrl-C ends it.'));
  }
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
};
