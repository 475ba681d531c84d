/**
 * Writes the part of the browser client that follows from the server's table of operations: for each its method, its
 * address, and the types of what it takes and gives.
 *
 *     npx node --conditions=longhand-source scripts/generate-client.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OPERATIONS } from '../packages/server/src/operations/index.ts';
import type { Operation } from '../packages/server/src/operations/operation.ts';
import { VERSION } from '../packages/server/src/version.ts';

export const GENERATED = join(import.meta.dirname, '../packages/longhand/src/client/operations.generated.ts');

export function generatedClient(): string {
  const rows = OPERATIONS.map(({ name, http: { method, path }, stream }) => {
    const streams = stream === undefined ? '' : `, '${stream.kind}'`;
    return `  ${name}: ['${method}', '${path}'${streams}],`;
  });
  const types = OPERATIONS.map((operation) => {
    const { name, summary } = operation;
    return `  /** ${summary.replaceAll('*/', '* /')} */\n  readonly ${name}: {\n    readonly input: ${inputOf(operation)};\n    readonly output: ${typeOf(z.toJSONSchema(operation.output, { io: 'output', unrepresentable: 'any' }), '    ')};\n  };`;
  });
  return [
    '// Written by scripts/generate-client.ts from the table of operations. Do not edit.',
    '',
    '/** Of the server whose operations these are. */',
    `export const VERSION = '${VERSION}';`,
    '',
    '/** Method, address and, of those that can answer as a stream, its form. */',
    'export const OPERATIONS = {',
    ...rows,
    '} as const;',
    '',
    'export interface Operations {',
    ...types,
    '}',
    '',
  ].join('\n');
}

function inputOf({ input }: Operation): string {
  return typeOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }), '    ');
}

type Schema = z.core.JSONSchema.BaseSchema;

/** A JSON schema as a type. Descriptions become comments: editors show them. */
function typeOf(schema: Schema | boolean, indent: string): string {
  if (typeof schema === 'boolean') return 'unknown';
  const { type, anyOf, oneOf, allOf, enum: values, const: constant } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map((one) => typeOf(one as Schema, indent)).join(' | ');
  if (allOf !== undefined) return allOf.map((one) => typeOf(one as Schema, indent)).join(' & ');
  if (Array.isArray(type))
    return type.map((one) => typeOf({ ...schema, type: one } as Schema, indent)).join(' | ');
  switch (type) {
    case 'string':
      return 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayOf(schema, indent);
    case 'object':
      return objectOf(schema, indent);
    default:
      return 'unknown';
  }
}

function arrayOf({ items, prefixItems }: Schema, indent: string): string {
  if (prefixItems !== undefined)
    return `readonly [${prefixItems.map((one) => typeOf(one as Schema, indent)).join(', ')}]`;
  return `ReadonlyArray<${typeOf((items ?? true) as Schema, indent)}>`;
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, one]) => {
    const { description } = one as Schema;
    const comment =
      description === undefined ? '' : `${inner}/** ${description.replaceAll('*/', '* /')} */\n`;
    return `${comment}${inner}readonly ${/^\w+$/.test(name) ? name : `'${name}'`}${required.includes(name) ? '' : '?'}: ${typeOf(one as Schema, inner)};`;
  });
  const isOpen = typeof additionalProperties === 'object' && Object.keys(properties).length === 0;
  if (isOpen) return `{ readonly [name: string]: ${typeOf(additionalProperties as Schema, indent)} }`;
  if (fields.length === 0) return 'Readonly<Record<string, unknown>>';
  return `{\n${fields.join('\n')}\n${indent}}`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(GENERATED, generatedClient());
