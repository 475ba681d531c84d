import { ValidationError } from 'longhand';
import { z } from 'zod';
import { dailySessionId } from '../daily-session.ts';
import { importFile } from '../import/import-file.ts';
import { IMPORT_FORMATS } from '../import/source.ts';
import { callerOf } from './access.ts';
import * as field from './fields.ts';
import { defineOperation } from './operation.ts';

const KINDS = ['sessions', 'memories', 'messages', 'notes', 'details', 'agent_memories'] as const;
const PIECES = Object.fromEntries(
  KINDS.map((kind) => [kind, field.integer(`How many ${kind.replace('_', ' ')}.`)]),
) as Record<(typeof KINDS)[number], z.ZodInt>;
const times = (meaning: string) => field.record(z.int(), meaning);

const imported = z.object({
  format: field.choice(IMPORT_FORMATS, 'Whose file it was taken for; `memories`: of no other kind.'),
  ...PIECES,
  already_there: z.object(PIECES).describe('What was there, and stays as it is.'),
  skipped_deleted: field.integer('How many pieces were deleted or forgotten here, and stay gone.'),
  passed_over: field.integer('How many lines are nothing to keep.'),
  passed_over_kinds: times('What those are, and how many.'),
  left_out_fields: times('Fields of memories that mean nothing here, and how often they are there.'),
  of_other_users: times('Other users that pieces name, and how many do: all are kept for the caller’s.'),
  samples: field.rows('The beginnings of the first 20 pieces that are new.', {
    kind: field.choice(KINDS, 'What it is.'),
    text: field.text('Its beginning.'),
  }),
});

export const importOperations = {
  importMemories: defineOperation({
    summary: 'Import an export, or memories of other programs, for the user: all of it or nothing.',
    input: z.strictObject({
      content: field.text('What the file says: lines of JSON, or one JSON value.'),
      name: field.word('The name of the file, for messages.', 4_096).exactOptional(),
      session_id: field.sessionId
        .exactOptional()
        .describe('Where all goes; where the file says when left out.'),
      dry_run: field.flag('Only tell what would be imported.').exactOptional(),
      skip_deleted: field.flag('`false`: a memory that was deleted here is an error.').exactOptional(),
    }),
    output: imported,
    http: { method: 'POST', path: '/api/import', whenTooLong: ' longhand import takes files of any length.' },
    example: { request: { content: '{"id":"mem_tea","content":"Prefers green tea"}', dry_run: true } },
    access: 'write',
    run: async (input, { services, signal, onProgress, memory, ...rights }) => {
      const { content, name = 'content', session_id, dry_run = false, skip_deleted = true } = input;
      const { principal, timeZone } = memory;
      if (principal.user_id === undefined || principal.agent_id !== undefined)
        throw new ValidationError(
          'SCOPE_MISSING',
          'An import is for a user and all their agents: it needs a caller who speaks for a user, and for no agent.',
        );
      return importFile({
        ...{ content, name, config: services.config, manager: services.manager, isDry: dry_run },
        ...{ named: session_id, skipsDeleted: skip_deleted },
        fallback: dailySessionId('import', principal, Date.now()),
        speaking: (manager) => callerOf(manager, rights, principal, timeZone).memory,
        onProgress: (done, total) => {
          onProgress?.(done, total);
          signal?.throwIfAborted();
        },
      });
    },
  }),
};
