import { z } from 'zod';
import type { Operation } from '../src/operations/operation.ts';

/** Every place of a request where the caller may write what they like, found in the schema of the operation. */
export function placesOf(operation: Operation): Generator<Place> {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return places(schema, operation.example.request);
}

export type Json = Record<string, unknown>;
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
}
export interface Attack {
  readonly text: string;
  /** How many things a list or an object gets. */
  readonly many: number;
  /** That of a field which an object does not have. */
  readonly name?: string;
}
export interface Place {
  readonly takes: 'text' | 'many' | 'name';
  put(attack: Attack): unknown;
}

const TEXT: Place = { takes: 'text', put: ({ text }) => text };

function many(put: (count: number) => unknown): Place {
  return { takes: 'many', put: ({ many }) => put(many) };
}

function inside({ takes, put }: Place, wrap: (value: unknown) => unknown): Place {
  return { takes, put: (attack) => wrap(put(attack)) };
}

/** `count` of something, each another one. */
function numbered<Value>(count: number, make: (number: number) => Value): Value[] {
  return Array.from({ length: count }, (_, number) => make(number));
}

/** Something small that the schema takes. */
function sample(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return sample(options[0]!);
  switch (schema.type) {
    case 'array':
      return schema.items === undefined ? [] : [sample(schema.items)];
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties![name]!)]),
      );
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return 'demo';
  }
}

function* places(schema: Schema, value: unknown): Generator<Place> {
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    for (const option of options) yield* places(option, sample(option));
    return;
  }
  if (schema.enum !== undefined || schema.const !== undefined) return;
  if (Array.isArray(schema.type)) {
    for (const type of schema.type) yield* places({ ...schema, type }, value);
    return;
  }
  switch (schema.type) {
    case 'string':
      yield TEXT;
      return;
    case 'array': {
      const items = schema.items ?? {};
      const first = (value as readonly unknown[] | undefined)?.[0] ?? sample(items);
      for (const place of places(items, first)) yield inside(place, (value) => [value]);
      yield many((count) => numbered(count, (i) => (typeof first === 'string' ? `m${i}` : first)));
      return;
    }
    case 'object': {
      const fields = value as Json;
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        for (const place of places(field, fields[name] ?? sample(field)))
          yield inside(place, (value) => ({ ...fields, [name]: value }));
      }
      // Parsed, because a name such as `__proto__` is no field of a literal.
      yield {
        takes: 'name',
        put: ({ name }) => ({ ...fields, ...JSON.parse(`{${JSON.stringify(name)}:1}`) }),
      };
      if (typeof schema.additionalProperties !== 'object') return;
      yield inside(TEXT, (text) => ({ ...fields, text }));
      yield many((count) => ({ ...fields, ...Object.fromEntries(numbered(count, (i) => [`k${i}`, i])) }));
      return;
    }
    case undefined:
      yield TEXT;
      yield many((count) => numbered(count, (i) => i));
  }
}

/** What is made has another name each time, or all but the first would be refused. */
export function withNewNames(value: unknown, path: string, number: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewNames(item, path, number));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isName = /^(id|memory_key|batch_id|message_id)$/.test(name) && !path.includes(`{${name}}`);
      if (isName && typeof field === 'string' && field.length < 32) return [name, `${field}_${number}`];
      return [name, withNewNames(field, path, number)];
    }),
  );
}
