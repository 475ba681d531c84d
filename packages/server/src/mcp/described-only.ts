import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/**
 * A schema that clients are told, and the SDK does not check against: what is wrong with an input is said in our own
 * words, the same through every skin. The shape stays, for the SDK looks there for what can be completed.
 */
export function describedOnly(schema: z.ZodObject): StandardSchemaWithJSON<unknown, unknown> {
  const standard = schema['~standard'] as StandardSchemaWithJSON<unknown, unknown>['~standard'];
  const described = { '~standard': { ...standard, validate: (value: unknown) => ({ value }) } };
  return { ...described, shape: schema.shape } as typeof described;
}
