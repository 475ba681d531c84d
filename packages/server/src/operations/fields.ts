import { DEFAULT_SHARES, type JsonObject, LIMITS } from 'longhand';
import { z } from 'zod';

/** Fields that several operations take or give. The library checks values; these say what they are. */

/** Fields of the usual kinds, each with what it means: OpenAPI and the page for people show it. */
export const text = (meaning: string) => z.string().describe(meaning);
export const nullableText = (meaning: string) => z.string().nullable().describe(meaning);
export const texts = (meaning: string) => list(z.string(), meaning);
export const integer = (meaning: string) => z.int().describe(meaning);
export const number = (meaning: string) => z.number().describe(meaning);
/** From 0 to 1. */
export const share = (meaning: string) => z.number().min(0).max(1).describe(meaning);
/** A text that is not empty. */
export const word = (meaning: string, most?: number) =>
  (most === undefined ? z.string().min(1) : z.string().min(1).max(most)).describe(meaning);
/** The same for what stands in keys and members: every store takes the same texts. */
export const storedWord = (meaning: string, most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine(
      (text) => text.isWellFormed() && !text.includes('\0'),
      'must hold no NUL and no half of a character',
    )
    .describe(meaning);
export const choice = <const Values extends readonly string[]>(values: Values, meaning: string) =>
  z.enum(values).describe(meaning);
export const flag = (meaning: string) => z.boolean().describe(meaning);
/** Of answers. */
export const record = <Value extends z.ZodType>(value: Value, meaning: string) =>
  z.record(z.string(), value).readonly().describe(meaning);
/** Of answers. */
export const list = <Item extends z.ZodType>(item: Item, meaning: string) =>
  z.array(item).readonly().describe(meaning);

/** Of answers: objects of one shape. */
export const rows = <Shape extends z.ZodRawShape>(meaning: string, shape: Shape) =>
  z.array(z.object(shape)).describe(meaning);

/** In answers. */
export const sessionName = text('Names a session.');
export const agentName = text('The name of an agent.');
export const keyOfDetail = text('Names a detail: what stands in its placeholder.');
export const createdAt = text('When it was made, ISO 8601.');
export const updatedAt = text('When it was last changed, ISO 8601.');
export const lineRange = z.tuple([z.int(), z.int()]).readonly();
export const gone = z.literal(true).describe('Whether it is gone.');
export const match = number('How much of what was asked for it holds, 0 to 1.');
export const relevance = number('importance × decay × recency × match quality: the higher, the better.');
export const manifest = z
  .looseObject({})
  .describe('Every piece of the prompt with its source, its reason and its tokens, and what did not fit.');
export const nextCursor = text(
  'Give it as `cursor` for the next page; not there on the last one.',
).exactOptional();

/** Of answers: one page of a list. */
export const paged = <Name extends string, Item extends z.ZodType>(name: Name, item: Item, meaning: string) =>
  z.object({ [name]: z.array(item).describe(meaning), next_cursor: nextCursor } as {
    [Key in Name]: z.ZodArray<Item>;
  } & { next_cursor: typeof nextCursor });

export const sessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or hyphens')
  .describe('Names a session.');
export const memoryId = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,32}$/, 'must be 1 to 32 letters, digits or underscores')
  .describe('Names a memory.');
export const agentId = word('The name of an agent.', 256);
export const memoryKey = word('Names a detail: what stands in its placeholder.', LIMITS.memoryKeyCharacters);
export const memoryType = choice(
  ['conversation', 'decision', 'finding', 'preference'],
  'The kind: `conversation`, `decision`, `finding` or `preference`.',
);
/** What the library makes of it is the same as for the tool `store_memory`. */
export const typeWord = word(
  'A type of memories, or a word of your own, such as `goal`: a finding of that kind.',
  LIMITS.memoryTypeCharacters,
);
/** Any JSON. What is in it is checked by the library, which also minds how deep it goes. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>;
export const timestamp = word('ISO 8601.', 64);
export const rangeStart = timestamp.describe(
  'From then on, ISO 8601; a day without a time from its beginning.',
);
export const rangeEnd = timestamp.describe('Until then, ISO 8601; a day without a time to its end.');
/** What a range was taken for, in answers. */
export const meantRange = z
  .object({ start: text('From then on, ISO 8601.'), end: text('Until then, ISO 8601.') })
  .describe('The moments that are meant, both included.');
/** Whether it is one is for the library to say. */
export const timeZone = z
  .string()
  .max(64)
  .describe(
    'Where days begin and end: an IANA name such as Europe/Berlin. What the header longhand-time-zone says when left out, else the setting timeZone.',
  );
export const budget = integer('Tokens for the prompt; those of the setting when left out.');
export const sections = z
  .partialRecord(
    z.enum(Object.keys(DEFAULT_SHARES) as (keyof typeof DEFAULT_SHARES)[]),
    z.strictObject({
      floor: share('What the section keeps of a full prompt, 0 to 1.').exactOptional(),
      ceiling: share('The most that the section takes of a full prompt, 0 to 1.').exactOptional(),
    }),
  )
  .describe(
    'Of the prompt, when not everything fits: what sections keep and the most that they take, 0 to 1.',
  );
export const tags = z
  .array(z.string())
  .max(32)
  .describe('What it is about: up to 32 tags, with levels between dots.');
export const reason = word('Why; kept in the audit list.', 1_000);

export const provenance = z
  .object({
    author: choice(['user', 'assistant', 'tool', 'import', 'system'], 'Who wrote it.'),
    trust: choice(
      ['owner', 'agent', 'external', 'untrusted'],
      'How far it can be trusted: `owner`, `agent`, `external` or `untrusted`.',
    ),
    agent_id: text('The name of an agent.').exactOptional(),
    message_id: text('Names a message.').exactOptional(),
    session_id: text('Names a session.').exactOptional(),
    user_id: text('Whose it is.').exactOptional(),
    source: text('The tool, page or file that it was taken from.').exactOptional(),
  })
  .describe('Where it comes from.');

/** As many as one page holds. */
export const limit = z.int().min(1).max(1_000).describe('How many at most.');
const cursor = word('From the page before: its next_cursor.', 4_096);
/** What a list takes that is given page by page. */
export const page = { limit: limit.exactOptional(), cursor: cursor.exactOptional() };
/** By relevance it names all memories that were given: what the server gave, it takes, as long as requests may be. */
export const memoryCursor = word('From the page before: its next_cursor.');

/** What the caller knows of where something came from; the rest is filled in. */
export const provenanceHint = z
  .strictObject({
    author: provenance.shape.author.exactOptional(),
    trust: provenance.shape.trust.exactOptional(),
    agent_id: provenance.shape.agent_id,
    message_id: provenance.shape.message_id,
    session_id: sessionId.exactOptional(),
    source: provenance.shape.source,
  })
  .describe('Where it comes from.');
