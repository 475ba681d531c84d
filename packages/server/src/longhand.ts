import { enableCompileCache } from 'node:module';

// What Node has compiled is kept for the next start. It has to be switched on before the rest is loaded.
enableCompileCache();
const { main } = await import('./cli/main.ts');

/** The `longhand` command. The first Ctrl-C lets the work under way finish, the second one does not. */
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });
}
// The reader of the output may stop reading: `longhand search … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2), { signal: stopping.signal });
