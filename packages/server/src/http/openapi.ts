import { z } from 'zod';
import { OPERATIONS } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { VERSION } from '../version.ts';
import { exampleRequest, isAskedInQuery, namesInPath } from './example-request.ts';

type Schema = Record<string, unknown> & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'A name for this kind of problem, as an address.' },
    title: { type: 'string', description: 'The HTTP status in words.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What went wrong and what to do about it.' },
    code: { type: 'string', description: 'What programs switch on.' },
    instance: { type: 'string', description: 'The request id.' },
    errors: {
      type: 'array',
      description: 'The fields that are wrong.',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'Which field.' },
          message: { type: 'string', description: 'What is wrong with it.' },
        },
      },
    },
  },
};

/** The whole interface as OpenAPI 3.1, made from the table of operations. */
export function describeApi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const { path, method } = operation.http;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describeOperation(operation);
  }
  Object.assign(paths, PLAIN_ROUTES);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Longhand',
      version: VERSION,
      description: 'A memory for AI agents that outlives the conversation.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ apiKey: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Needed with auth.enabled.' },
      },
      schemas: { Problem: PROBLEM },
      responses: {
        Problem: {
          description: 'What went wrong (RFC 9457)',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

/** The group of an operation is the first name in its path. */
export function groupOf({ http }: Operation): string {
  const [, first = '', second = ''] = http.path.split('/');
  return first === 'api' ? second : first;
}

function describeOperation(operation: Operation): Record<string, unknown> {
  const { name, summary, http, access, stream, example } = operation;
  const schema = toSchema(operation.input);
  const inPath = namesInPath(http.path);
  const isInQuery = isAskedInQuery(operation);
  const status = String(http.status ?? 200);
  const content: Record<string, unknown> = {
    'application/json': {
      schema: toSchema(operation.output),
      ...(example.answer === undefined ? {} : { example: example.answer }),
    },
  };
  if (stream?.kind === 'events') content['text/event-stream'] = { schema: { type: 'string' } };
  if (stream?.kind === 'lines') content['application/x-ndjson'] = { schema: { type: 'string' } };
  return {
    operationId: name,
    summary,
    description: `Needs the access \`${access}\`.`,
    tags: [groupOf(operation)],
    parameters: parametersOf(operation, schema),
    ...(isInQuery ? {} : { requestBody: bodyOf(schema, inPath, exampleRequest(operation).body) }),
    responses: {
      [status]: { description: 'Done', content },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function parametersOf(operation: Operation, schema: Schema): unknown[] {
  const { method, path } = operation.http;
  const inPath = namesInPath(path);
  const example = operation.example.request as Readonly<Record<string, unknown>>;
  const shown = (name: string) => (example[name] === undefined ? {} : { example: example[name] });
  const parameters: unknown[] = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schema.properties?.[name] ?? { type: 'string' },
    ...shown(name),
  }));
  if (isAskedInQuery(operation)) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (inPath.includes(name)) continue;
      const required = schema.required?.includes(name) ?? false;
      parameters.push({ name, in: 'query', required, schema: field, ...shown(name) });
    }
  }
  if (method !== 'GET')
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Names the request: sent again with the same name, it is answered again and does nothing twice.',
      schema: { type: 'string' },
    });
  return parameters;
}

function bodyOf(schema: Schema, inPath: readonly string[], example: unknown): unknown {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => !inPath.includes(name)),
  );
  const required = (schema.required ?? []).filter((name) => !inPath.includes(name));
  const { properties: _properties, required: _required, ...rest } = schema;
  const body = { ...rest, properties, ...(required.length === 0 ? {} : { required }) };
  return { required: required.length > 0, content: { 'application/json': { schema: body, example } } };
}

export function toSchema(type: z.ZodType): Schema {
  const { $schema: _schema, ...schema } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  return schema as Schema;
}

const text = (description: string, type: string) => ({
  '200': { description, content: { [type]: { schema: { type: 'string' } } } },
});
const plain = (operationId: string, summary: string, responses: unknown) => ({
  get: { operationId, summary, tags: ['server'], responses },
});
/** What is no operation: there is nothing in it for the command line or an agent. */
const PLAIN_ROUTES = {
  '/api/events': plain(
    'watchChanges',
    'What others change, as it happens.',
    text('Events', 'text/event-stream'),
  ),
  '/metrics': plain('readMetrics', 'Metrics for Prometheus.', text('Metrics', 'text/plain')),
  '/healthz': plain('checkHealth', 'Whether the server answers.', {
    '200': { description: 'It does', content: { 'application/json': { schema: { type: 'object' } } } },
  }),
};
