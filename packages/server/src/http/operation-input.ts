import type { z } from 'zod';
import type { Operation } from '../operations/operation.ts';
import { invalidFields, RequestError } from './problem.ts';

type Kind = 'number' | 'boolean' | 'array' | 'text';

/**
 * Puts the input of an operation together: names in the path, the query string (which knows only texts: what a
 * field takes decides what they mean) and the fields of the body.
 */
export class OperationInput {
  readonly #schema: z.ZodObject;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #takesQuery: boolean;
  readonly #method: string;

  constructor({ input, http }: Operation) {
    this.#schema = input;
    this.#method = http.method;
    this.#takesQuery = http.method === 'GET' || http.method === 'DELETE';
    this.#kinds = new Map(
      Object.entries(input.shape).map(([name, type]) => [name, kindOf(type as z.ZodType)]),
    );
  }

  /** @throws RequestError INVALID_REQUEST naming the fields that are wrong */
  parse(names: Readonly<Record<string, string>>, query: URLSearchParams | undefined, body: unknown): unknown {
    const input: Record<string, unknown> = {};
    if (body !== undefined) {
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new RequestError('INVALID_REQUEST', 'The body must be a JSON object, such as {"text":"…"}.');
      for (const [key, value] of Object.entries(body)) {
        if (Object.hasOwn(names, key) && value !== names[key])
          throw new RequestError(
            'INVALID_REQUEST',
            `${key} is another one in the path. Leave it out of the body.`,
          );
        set(input, key, value);
      }
    }
    for (const key of new Set(query?.keys())) {
      // Gateways add names of their own, which are ignored. A field of the operation is not: the client meant it.
      if (!this.#takesQuery && !this.#kinds.has(key)) continue;
      if (!this.#takesQuery)
        throw new RequestError(
          'INVALID_REQUEST',
          `${key} stands in the query string, and ${this.#method} takes its fields as JSON in the body.`,
        );
      set(input, key, this.#read(key, query!.getAll(key)));
    }
    for (const [key, value] of Object.entries(names)) set(input, key, this.#read(key, [value]));
    const parsed = this.#schema.safeParse(input);
    if (!parsed.success) throw invalidFields(parsed.error, this.#schema, Object.keys(names));
    return parsed.data;
  }

  #read(key: string, values: readonly string[]): unknown {
    const [value = ''] = values;
    const kind = this.#kinds.get(key);
    if (values.length > 1 && kind !== 'array' && kind !== undefined)
      throw new RequestError('INVALID_REQUEST', `${key} is given ${values.length} times. Give it once.`);
    switch (kind) {
      case 'array':
        return values.length > 1 ? values : value.split(',');
      case 'number':
        return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value);
      case 'boolean':
        return value === 'true' ? true : value === 'false' ? false : value;
      default:
        return value;
    }
  }
}

/** As a field of its own, whatever the name: `__proto__` is refused by the schema like any other. */
function set(input: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') input[key] = value;
  else Object.defineProperty(input, key, { value, enumerable: true, configurable: true, writable: true });
}

function kindOf(type: z.ZodType): Kind {
  let current: { readonly def: { readonly type: string; readonly innerType?: unknown } } = type;
  while (current.def.innerType !== undefined) current = current.def.innerType as typeof current;
  const { type: name } = current.def;
  return name === 'number' || name === 'boolean' || name === 'array' ? name : 'text';
}
