import { placeOfStore, storeField } from '../../config/server-config.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import { sessionOperations } from '../../operations/sessions.ts';
import type { CommandCall, CommandRun } from '../command.ts';
import { counted, type Output, sizeInWords } from '../output.ts';

export const stats: CommandRun = async (call) => {
  const { positionals, context, output } = call;
  const session_id = positionals[0] ?? context.identity.session_id;
  if (session_id === undefined) return ofEverything(call);
  const one = await context.run(sessionOperations.getSessionStats, { session_id });
  if (output.isJson) output.json(one);
  else showOne(output, one);
};

function showOne(output: Output, one: AnswerOf<typeof sessionOperations.getSessionStats>): void {
  const damaged = Object.values(one.corruption).reduce((sum, count) => sum + count, 0);
  const types = Object.entries(one.statistics).filter(([, count]) => count > 0);
  output.line(output.bold(one.session_id));
  output.table([
    [
      output.dim('memories'),
      `${one.total_entries}${types.length === 0 ? '' : ` (${types.map(([name, count]) => counted(count, name.slice(0, -1), name)).join(', ')})`}`,
    ],
    [
      output.dim('size'),
      `${sizeInWords(one.total_size_bytes)} of ${sizeInWords(one.limit_bytes)}${ofDeletions(one)}`,
    ],
    [output.dim('since'), one.created_at ?? 'unknown'],
    [output.dim('compacted'), one.last_compaction ?? 'never'],
    [output.dim('deleted'), String(one.deleted)],
    [output.dim('replaced'), String(one.replaced)],
    [output.dim('damaged'), damaged === 0 ? 'nothing' : output.paint('red', counted(damaged, 'line'))],
    [output.dim('format'), `version ${one.schema_version}`],
  ]);
}

/** What of a size memories that are gone take: their texts until a compaction, and for good the records without them. */
function ofDeletions({ deleted, deleted_bytes }: { deleted: number; deleted_bytes: number }): string {
  const freed = deleted_bytes === 0 ? '' : `, of which longhand compact frees ${sizeInWords(deleted_bytes)}`;
  return `${freed}${deleted === 0 ? '' : `, with the records of ${counted(deleted, 'deletion')}`}`;
}

async function ofEverything({ context, output, config }: CommandCall): Promise<undefined> {
  const memory = await context.memory();
  const sessions = await memory.listSessions();
  let [memories, replaced, deleted, deleted_bytes, bytes, damaged] = [0, 0, 0, 0, 0, 0];
  for (const { id } of sessions) {
    const one = await memory.getSessionStats(id);
    memories += one.total_entries;
    replaced += one.replaced;
    deleted += one.deleted;
    deleted_bytes += one.deleted_bytes;
    bytes += one.total_size_bytes;
    damaged += Object.values(one.corruption).reduce((sum, count) => sum + count, 0);
  }
  const unreadable = (await memory.unreadableSessions()).length;
  const details = await (await memory.details()).list();
  const detailBytes = details.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const made = (await (await memory.agents()).list()).map(({ id }) => id);
  // A participant of a session is an agent too, also before it has anything of its own.
  const agents = new Set([...made, ...sessions.flatMap((one) => one.agents)]).size;
  const all = {
    ...storeField(config),
    user_id: context.identity.user_id,
    sessions: sessions.length,
    memories,
    replaced,
    deleted,
    deleted_bytes,
    size_bytes: bytes,
    details: details.length,
    details_size_bytes: detailBytes,
    agents,
    damaged_lines: damaged,
    unreadable_sessions: unreadable,
  };
  if (output.isJson) return output.json(all);
  output.table([
    [output.dim('store'), placeOfStore(config)],
    [output.dim('user'), all.user_id],
    [
      output.dim('sessions'),
      unreadable === 0
        ? String(all.sessions)
        : `${all.sessions} (and ${output.paint('red', `${unreadable} that cannot be read`)})`,
    ],
    [
      output.dim('memories'),
      `${memories}${replaced === 0 ? '' : `, ${replaced} of them replaced`} (${sizeInWords(bytes)}${ofDeletions(all)})`,
    ],
    [output.dim('details'), `${details.length} (${sizeInWords(detailBytes)})`],
    [output.dim('agents'), String(agents)],
    [output.dim('damaged'), damaged === 0 ? 'nothing' : output.paint('red', counted(damaged, 'line'))],
  ]);
}
