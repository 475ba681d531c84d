/**
 * Counts the steps of operations on hostile input, and says where they grow faster than the input.
 *
 * V8 counts how often each block of each function runs. Every text field of an operation is given every shape, in some
 * length and in twice that length: where a block ran more than `MOST` times as often, and again for the next doubling,
 * its work is not linear. What regular expressions and searches in texts do inside of V8 has no blocks: their steps are
 * the characters that they passed over.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { TOOLS } from '../../../longhand/src/tools/index.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createApp } from '../../src/http/app.ts';
import { exampleRequest } from '../../src/http/example-request.ts';
import { Logger } from '../../src/log/logger.ts';
import { createMcpFetchHandler } from '../../src/mcp/fetch-handler.ts';
import { OPERATIONS, operationNamed } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { openServices } from '../../src/services.ts';
import { type Json, placesOf, withNewNames } from '../places.ts';
import { SHAPES } from '../step-shapes.ts';
import { countNatively, takeNativeSteps } from './native-steps.ts';

const LENGTH = 1_200;
/** A doubling of the input may double the work, and a sort adds to that. */
const MOST = 2.7;
/** What runs less often costs no time that counts. */
const FEWEST = 60_000;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
countNatively();

/** How often each block has run since the last call. */
async function takeSteps(): Promise<Map<string, number>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const steps = new Map<string, number>();
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || url.includes('/test/')) continue;
    for (const { functionName, ranges } of functions)
      for (const { startOffset, count } of ranges)
        if (count > 0)
          steps.set(
            `${url.replace(/.*\/(packages|node_modules)\//, '')} ${functionName} at ${startOffset}`,
            count,
          );
  }
  for (const [name, count] of takeNativeSteps()) steps.set(name, count);
  return steps;
}

/** Runs an operation with every shape in every place, on a store of its own. */
async function attack(operation: Operation, characters: number): Promise<Map<string, number>> {
  const root = mkdtempSync(join(tmpdir(), 'longhand-steps-'));
  const flags = { 'storage-root': root, 'limits-requests-per-minute': 0 };
  const config = loadConfig({ env: {}, cwd: root, home: root, flags });
  const services = await openServices(config, new Logger('error', { write: () => undefined }));
  const mcp = createMcpFetchHandler(services);
  const app = createApp(services, { mcp: (...asked) => mcp.fetch(...asked) });
  const send = async (asked: Operation, request: Json): Promise<void> => {
    const { method, target, body } = exampleRequest(asked, request);
    const response = await app.fetch(
      new Request(`http://localhost:${config.port}${target}`, {
        method,
        headers: {
          host: `localhost:${config.port}`,
          'content-type': 'application/json',
          accept: asked.http.path === '/mcp' ? 'application/json, text/event-stream' : 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { incoming: { socket: { remoteAddress: '127.0.0.1' } } },
    );
    await response.text();
  };
  const prepare = async (name: string): Promise<void> => {
    const { example } = operationNamed(name);
    for (const before of example.after ?? []) await prepare(before);
    await send(operationNamed(name), example.request as Json);
  };
  for (const name of operation.example.after ?? []) await prepare(name);
  for (const { operation: name, request } of operation.example.first ?? [])
    await send(operationNamed(name), request);
  await takeSteps();
  let made = 0;
  for (const { takes, put } of placesOf(operation))
    for (const shape of takes === 'text' ? Object.values(SHAPES) : takes === 'many' ? [() => ''] : []) {
      const request = put({ text: shape(characters), many: characters });
      await send(operation, withNewNames(request, operation.http.path, ++made) as Json);
    }
  const steps = await takeSteps();
  await mcp.close();
  await services.close();
  rmSync(root, { recursive: true });
  return steps;
}

function grown(some: Map<string, number>, more: Map<string, number>): Set<string> {
  const found = new Set<string>();
  for (const [block, count] of more)
    if (count > FEWEST && count > MOST * (some.get(block) ?? 0)) found.add(block);
  return found;
}

/** A tool is called through MCP, with what a model may write. */
function operationOf({ name, input }: (typeof TOOLS)[number]): Operation {
  const call = { jsonrpc: z.literal('2.0'), id: z.literal(1), method: z.literal('tools/call') };
  const params = z.object({ name: z.literal(name), arguments: input });
  return {
    ...operationNamed('search'),
    name,
    input: z.object({ ...call, params }),
    http: { method: 'POST', path: '/mcp' },
    example: {
      request: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: EXAMPLES[name] ?? {} },
      },
      after: ['createSession', 'addMemory', 'storeDetail'],
    },
  } as Operation;
}

/** What a tool cannot do without. */
const EXAMPLES: Readonly<Record<string, Json>> = {
  manage_long_term_memory: { operation: 'add', section: 'Likes', content: 'Tea' },
  save_to_journal: { content: 'We talked.' },
  save_to_core: { content: 'I answer in one sentence.' },
  store_memory: { content: 'We deploy blue green' },
  retrieve_memory: { memory_key: 'deploy_log' },
  search_memory: { query: 'deploy' },
};

const wanted = process.argv.slice(2);
for (const operation of [...OPERATIONS, ...TOOLS.map(operationOf)]) {
  if (wanted.length > 0 && !wanted.includes(operation.name)) continue;
  const [once, twice] = [await attack(operation, LENGTH), await attack(operation, 2 * LENGTH)];
  let found = grown(once, twice);
  if (found.size > 0) {
    // Something that begins at some length grows once; what is not linear grows on.
    const four = await attack(operation, 4 * LENGTH);
    const again = grown(twice, four);
    found = new Set([...found].filter((block) => again.has(block)));
    for (const block of found)
      process.stdout.write(
        `${JSON.stringify({ operation: operation.name, block, counts: [once.get(block) ?? 0, twice.get(block), four.get(block)] })}\n`,
      );
  }
}
