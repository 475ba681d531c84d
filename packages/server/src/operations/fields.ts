import { DEFAULT_SHARES, type JsonObject, LIMITS } from 'longhand';
import { z } from 'zod';

/** Fields that several operations take or give. The library checks values; these say what they are. */

export const sessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or hyphens')
  .describe('Names a session.');
export const memoryId = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,32}$/, 'must be 1 to 32 letters, digits or underscores')
  .describe('Names a memory.');
export const agentId = z.string().min(1).max(256).describe('The name of an agent.');
export const memoryKey = z
  .string()
  .min(1)
  .max(LIMITS.memoryKeyCharacters)
  .describe('Names a detail: what stands in its placeholder.');
export const memoryType = z.enum(['conversation', 'decision', 'finding', 'preference']);
/** Any JSON. What is in it is checked by the library, which also minds how deep it goes. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>;
export const timestamp = z.string().min(1).max(64).describe('ISO 8601.');
export const rangeStart = timestamp.describe(
  'From then on, ISO 8601; a day without a time from its beginning.',
);
export const rangeEnd = timestamp.describe('Until then, ISO 8601; a day without a time to its end.');
/** What a range was taken for, in answers. */
export const meantRange = z
  .object({ start: z.string(), end: z.string() })
  .describe('The moments that are meant, both included.');
/** Whether it is one is for the library to say. */
export const timeZone = z
  .string()
  .max(64)
  .describe(
    'Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone.',
  );
export const budget = z.int().describe('Tokens for the prompt; those of the setting when left out.');
const part = z.number().min(0).max(1);
export const sections = z
  .partialRecord(
    z.enum(Object.keys(DEFAULT_SHARES) as (keyof typeof DEFAULT_SHARES)[]),
    z.strictObject({ floor: part.exactOptional(), ceiling: part.exactOptional() }),
  )
  .describe(
    'Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1.',
  );
/** The library calls it otherwise. */
export function inZone(timeZone: string | undefined): { readonly timeZone?: string } {
  return timeZone === undefined ? {} : { timeZone };
}

export const tags = z.array(z.string()).max(32);
export const reason = z.string().min(1).max(1_000).describe('Why; kept in the audit list.');

export const provenance = z.object({
  author: z.enum(['user', 'assistant', 'tool', 'import', 'system']),
  trust: z.enum(['owner', 'agent', 'external', 'untrusted']),
  agent_id: z.string().exactOptional(),
  message_id: z.string().exactOptional(),
  session_id: z.string().exactOptional(),
  user_id: z.string().exactOptional(),
  source: z.string().exactOptional(),
});

/** As many as one page holds. */
export const limit = z.int().min(1).max(1_000);
export const cursor = z.string().min(1).max(4_096).describe('From the page before: its next_cursor.');
/** By relevance it names all memories that were given: what the server gave, it takes, as long as requests may be. */
export const memoryCursor = z.string().min(1).describe('From the page before: its next_cursor.');

/** What the caller knows of where something came from; the rest is filled in. */
export const provenanceHint = z.strictObject({
  author: provenance.shape.author.exactOptional(),
  trust: provenance.shape.trust.exactOptional(),
  agent_id: z.string().exactOptional(),
  message_id: z.string().exactOptional(),
  session_id: sessionId.exactOptional(),
  source: z.string().exactOptional(),
});
