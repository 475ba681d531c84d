import { loadConfig } from '../../src/config/load-config.ts';
import { closeOnSignals, serve } from '../../src/http/serve.ts';
import { openServices } from '../../src/services.ts';

/** A server in a process of its own: says where it listens, and ends at a signal. */
const [storageRoot = '', more = '{}'] = process.argv.slice(2);
const flags = { port: 0, 'storage-root': storageRoot, 'log-level': 'error', ...JSON.parse(more) };
const server = await serve(await openServices(loadConfig({ env: {}, cwd: storageRoot, flags })));
closeOnSignals(server, () => process.exit(0));
process.stdout.write(`${server.url}\n`);
