import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, startTestServer, type TestServer } from '../../test/http-fixture.ts';
import { OPERATIONS, operationNamed } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { exampleRequest } from './example-request.ts';
import { describeApi } from './openapi.ts';

/** The operations that newcomers meet first. */
const MET_FIRST = [
  ...['createSession', 'listSessions', 'addMemory', 'addMemories', 'queryMemories', 'getMemory', 'search'],
  ...['assembleContext', 'chat', 'archiveMessages', 'storeDetail', 'listDetails', 'retrieveDetail'],
  ...['createAgent', 'listAgents', 'getAgent', 'addAgentMemory', 'listAgentMemories', 'readNotes'],
  ...[
    'writeNotes',
    'changeNotes',
    'previewForgetting',
    'forget',
    'redact',
    'listReceipts',
    'listChatSessions',
  ],
];

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    schema: object;
    example?: unknown;
  }[];
  readonly requestBody?: {
    content: { 'application/json': { schema: object; example: Record<string, unknown> } };
  };
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { example?: unknown }>> }>>;
}

const described = Object.values(describeApi().paths as Record<string, Record<string, Described>>)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => OPERATIONS.some(({ name }) => name === operationId));

/** A value against a JSON Schema, by a reader of schemas that did not write it. */
function matches(schema: object, value: unknown): boolean {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value).success;
}

describe('the examples of /openapi.json', () => {
  it('are there for every operation', () => {
    expect(described).toHaveLength(OPERATIONS.length);
    const withBody = described.filter(({ requestBody }) => requestBody !== undefined);
    expect(withBody.length).toBeGreaterThan(30);
    for (const { operationId, requestBody, parameters = [] } of described) {
      if (requestBody !== undefined)
        expect(requestBody.content['application/json'].example, operationId).toBeTypeOf('object');
      for (const { name, required, example } of parameters)
        if (required) expect(example, `${operationId} ${name}`).toBeDefined();
    }
    for (const name of MET_FIRST) expect(operationNamed(name).example.answer, name).toBeDefined();
  });

  it.each(described)('fit their schemas: $operationId', ({ requestBody, parameters = [] }) => {
    for (const { schema, example } of parameters)
      if (example !== undefined) expect(matches(schema, example)).toBe(true);
    if (requestBody === undefined) return;
    const { schema, example } = requestBody.content['application/json'];
    expect(matches(schema, example)).toBe(true);
    // The check would see a field too many, or too few.
    expect(matches(schema, { ...example, unheard_of: 1 })).toBe(false);
  });

  it('are the examples of the table', () => {
    for (const { operationId, responses } of described) {
      const { http, example, output } = operationNamed(operationId);
      const shown = responses[http.status ?? 200]?.content?.['application/json']?.example;
      expect(shown, operationId).toEqual(example.answer);
      if (example.answer !== undefined)
        expect(output.safeParse(example.answer).error?.issues, operationId).toBeUndefined();
    }
  });
});

describe('the examples, sent to a server on an empty store', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer({ flags: { 'log-level': 'silent' } });
  });
  afterEach(() => server.stop());

  /** With the calls that come right before it. */
  async function send(operation: Operation): Promise<Answer> {
    let request = operation.example.request;
    for (const call of operation.example.first ?? []) {
      const before = operationNamed(call.operation);
      const { status, body } = await ask(before, call.request);
      expect(status, call.operation).toBe(before.http.status ?? 200);
      const given = Object.entries(call.gives ?? {}).map(([field, name]) => [field, body[name]]);
      request = { ...request, ...Object.fromEntries(given) };
    }
    return ask(operation, request);
  }

  function ask(operation: Operation, request: Readonly<Record<string, unknown>>): Promise<Answer> {
    const { method, target, body } = exampleRequest(operation, request);
    return server.call(method, target, body, { accept: 'application/json' });
  }

  it.each(OPERATIONS)('are answered as they say: $name', async (operation) => {
    const { name, http, example, output } = operation;
    for (const before of example.after ?? []) {
      const needed = operationNamed(before);
      expect((await send(needed)).status, before).toBe(needed.http.status ?? 200);
    }
    const answer = await send(operation);
    expect(answer.status, answer.text).toBe(http.status ?? 200);
    // What the description does not name is not in the answer.
    expect(output.parse(answer.body)).toEqual(answer.body);
    if (example.answer === undefined) return;
    expectSameShape(example.answer, answer.body, name);
  });
});

/**
 * The same fields with the same kinds of values. Lists hold the same kinds of things: an example may show fewer of
 * them, and none where there are none.
 */
function expectSameShape(example: unknown, real: unknown, place: string): void {
  expect(kindOf(real), place).toBe(kindOf(example));
  if (Array.isArray(example) && Array.isArray(real)) {
    expect(example.length === 0, `${place} is empty`).toBe(real.length === 0);
    const shapes = real.map(shapeOf);
    for (const one of example) expect(shapes, place).toContain(shapeOf(one));
  } else if (typeof example === 'object' && example !== null) {
    expect(Object.keys(real as object).sort(), place).toEqual(Object.keys(example).sort());
    for (const [key, value] of Object.entries(example))
      expectSameShape(value, (real as Record<string, unknown>)[key], `${place}.${key}`);
  }
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join()}]`;
  if (typeof value !== 'object' || value === null) return kindOf(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}:${shapeOf(field)}`);
  return `{${fields.sort().join()}}`;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}
