import { placeOfStore, storeField } from '../../config/server-config.ts';
import type { Database } from '../../open-store.ts';
import type { CommandRun } from '../command.ts';

export const serve: CommandRun = async ({ config, output, signal }) => {
  const { runServer } = await import('../../run-server.ts');
  const server = await runServer(config);
  const { url, firstKey, database } = server;
  if (output.isJson) output.json({ url, ...storeField(config), first_key: firstKey ?? null });
  else {
    output.line(`${output.bold('Longhand')} listens on ${output.paint('cyan', url)}`);
    output.table([
      [output.dim('  console'), `${url}/`],
      [output.dim('  API'), `${url}/docs`],
      [output.dim('  MCP'), `${url}/mcp`],
      [output.dim('  store'), placeOfStore(config)],
      ...(database === undefined ? [] : [[output.dim('  role'), servedBy(database)]]),
    ]);
    if (firstKey !== undefined) {
      output.line();
      output.line(`The first API key, shown this once: ${output.bold(firstKey)}`);
      output.line('It may do everything. The header longhand-user says whose memory a request is about.');
    }
    output.note(output.dim('Ctrl-C ends it.'));
  }
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
};

function servedBy({ role, applied }: Database): string {
  const upgraded = applied.length === 0 ? '' : `; the tables are new or upgraded, to ${applied.at(-1)}`;
  return `${role}, which owns nothing and is held by row-level security${upgraded}`;
}
