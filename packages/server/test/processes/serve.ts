import { loadConfig } from '../../src/config/load-config.ts';
import { runServer } from '../../src/run-server.ts';

/** A server in a process of its own: says where it listens, and ends at a signal. */
const [storageRoot = '', more = '{}'] = process.argv.slice(2);
const flags = { port: 0, 'log-level': 'error', ...JSON.parse(more) };
const server = await runServer(loadConfig({ env: {}, cwd: storageRoot, flags }));
// A second signal ends the process at once, as it does by default.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void server.close().then(() => process.exit(0)));
process.stdout.write(`${server.url}\n`);
// Asked over the channel, with --expose-gc: what is in use when everything that is not has gone.
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
