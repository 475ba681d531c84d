import { z } from 'zod';
import { ValidationError } from '../core/errors.ts';
import type { JsonObject } from '../core/records.ts';
import { type Notes, type NotesChange, parseNotesChange } from '../layers/notes/index.ts';
import { defineTool, type Tool } from './tool.ts';
import { requireAgent, requireUser } from './tool-scope.ts';

const OPERATIONS = [
  'read',
  'overwrite',
  'append',
  'prepend',
  'delete_section_by_header',
  'replace_section_by_header',
  'delete_all_notes',
] as const;

/** Operations that only add: they overwrite no change of another writer. */
const ADDS_ONLY: ReadonlySet<string> = new Set(['append', 'prepend']);

export const manageLongTermMemory: Tool = defineTool({
  name: 'manage_long_term_memory',
  title: 'Manage long-term notes',
  description:
    'Read and edit your long-term notes on the current user: one Markdown document with their preferences, needs ' +
    'and standing instructions, which you keep across conversations. Use headers to keep sections apart. The notes ' +
    'that you see in the prompt are from the beginning of the turn; read before you overwrite.',
  input: z.strictObject({
    operation: z.enum(OPERATIONS).default('read').describe('What to do with the notes'),
    content: z
      .string()
      .optional()
      .describe('The text: for overwrite, append, prepend and replace_section_by_header'),
    section_header: z
      .string()
      .optional()
      .describe('The header of the section: for delete_section_by_header and replace_section_by_header'),
  }),
  output: { operation: z.enum(OPERATIONS), notes: z.string(), version: z.int(), unchanged: z.boolean() },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  run: async ({ operation, content, section_header }, scope) => {
    const userId = requireUser(scope);
    const agentId = requireAgent(scope);
    const { notes, notesShown } = scope.layers;
    const reader = { userId, agentId, sessionId: scope.sessionId };
    const show = ({ text, version }: Notes): JsonObject => {
      notesShown.note(reader, version);
      return { operation, notes: text, version };
    };
    if (operation === 'read') {
      refuseTextToRead(content ?? section_header);
      return show(await notes.read(userId, agentId));
    }
    const change: NotesChange = {
      operation,
      ...(content === undefined ? {} : { content }),
      ...(section_header === undefined ? {} : { section_header }),
    };
    // First: a call that is refused must not leave an agent behind.
    parseNotesChange(change);
    // The first note of an agent that is not registered yet registers it.
    await scope.layers.agents.ensure(agentId);
    const seenVersion = notesShown.versionFor(reader);
    const isGuarded = seenVersion !== undefined && !ADDS_ONLY.has(operation);
    const options = isGuarded ? { expectedVersion: seenVersion } : {};
    const applied = await notes.apply(userId, agentId, change, options);
    return { ...show(applied), ...(applied.version === seenVersion ? { unchanged: true } : {}) };
  },
});

/** A model that sends a text and forgets the operation would take the answer for a success. */
function refuseTextToRead(text: string | undefined): void {
  if (text === undefined) return;
  throw new ValidationError(
    'INVALID_OPTION',
    'operation is read, which takes neither content nor section_header. Nothing was written: say which operation.',
  );
}
