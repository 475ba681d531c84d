/** The fields of a request or an answer as a table for people, with those inside of them. */

type Schema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
};

export interface FieldRow {
  /** With what it is in: `tags.include`, `memories[].content`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly meaning: string;
  readonly type: string;
}

/** Deeper ones are in openapi.json. */
const MOST_LEVELS = 4;

/** @param within what the fields are in, as it stands before their names */
export function fieldRows(schema: Schema, within = '', level = 1): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => {
    const name = `${within}${field}`;
    const row = {
      name,
      isRequired: schema.required?.includes(field) ?? false,
      meaning: inner.description ?? '',
      type: shapeOf(inner),
    };
    const { shape, suffix } = objectIn(inner);
    if (shape === undefined || level >= MOST_LEVELS) return [row];
    return [row, ...fieldRows(shape, `${name}${suffix}.`, level + 1)];
  });
}

/** The object whose fields are worth a row: the value itself, an item of a list, or the first shape that has fields. */
function objectIn(schema: Schema): { readonly shape?: Schema; readonly suffix: string } {
  const { properties, items, anyOf, oneOf } = schema;
  if (properties !== undefined) return { shape: schema, suffix: '' };
  if (items !== undefined) {
    const { shape, suffix } = objectIn(items as Schema);
    return shape === undefined ? { suffix } : { shape, suffix: `[]${suffix}` };
  }
  for (const option of [anyOf, oneOf].flat() as (Schema | undefined)[]) {
    if (option === undefined) continue;
    const found = objectIn(option);
    if (found.shape !== undefined) return found;
  }
  return { suffix: '' };
}

/** Short enough for a table; the whole of it is in openapi.json. */
function shapeOf(schema: Readonly<Record<string, unknown>>): string {
  const { type, enum: values, const: only, items, anyOf, oneOf, properties, additionalProperties } = schema;
  if (Array.isArray(values)) return values.join(' | ');
  if (only !== undefined) return String(only);
  if (type === 'array') return `list of ${shapeOf((items ?? {}) as Record<string, unknown>)}`;
  const options = anyOf ?? oneOf;
  if (Array.isArray(options))
    return [...new Set(options.map((one) => shapeOf(one as Record<string, unknown>)))].join(' | ');
  if (type === 'object' && Object.keys(properties ?? {}).length === 0) {
    const inside = shapeOf((additionalProperties ?? {}) as Record<string, unknown>);
    return inside === 'anything' ? 'any object' : `object of ${inside}`;
  }
  return type === undefined ? 'anything' : [type].flat().join(' | ');
}
