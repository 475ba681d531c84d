import type { z } from 'zod';

type Def = z.core.$ZodTypeDef & {
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
};

/**
 * The names that an object takes at a place in an input; none when it takes any, or is no object. Of several shapes
 * that can be given it is the first that takes names.
 */
export function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { innerType, in: from, element, valueType, options, shape } = schema.def as Def;
  const wrapped = innerType ?? from;
  if (wrapped !== undefined) return fieldsAt(wrapped, path);
  if (options !== undefined) {
    for (const option of options) {
      const names = fieldsAt(option, path);
      if (names.length > 0) return names;
    }
    return [];
  }
  const [first, ...rest] = path;
  if (first === undefined) return shape === undefined ? [] : Object.keys(shape);
  const next =
    shape === undefined
      ? (element ?? valueType)
      : Object.hasOwn(shape, first)
        ? shape[String(first)]
        : undefined;
  return next === undefined ? [] : fieldsAt(next, rest);
}
