import { keyOperations } from '../../operations/keys.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { plain } from '../output.ts';

type ApiKey = AnswerOf<typeof keyOperations.listKeys>['keys'][number];

export const keys: CommandRun = async (call) => {
  const [action = 'list', value] = call.positionals;
  if (action === 'create') return create(call, value);
  if (action === 'revoke') return revoke(call, value);
  if (action === 'end-sessions') return endSessions(call);
  return list(call);
};

async function create(
  { values, output, context }: CommandCall,
  label: string | undefined,
): Promise<undefined> {
  if (label === undefined || label.trim() === '')
    throw new UsageError('Say what the key is for, so that it is known later: longhand keys create laptop.');
  const made = await context.run(keyOperations.createKey, {
    label,
    access: values.text('access'),
    user_id: values.text('for-user'),
    agent_id: values.text('for-agent'),
    expires_at: values.text('expires'),
  });
  if (output.isJson) output.json(made);
  else {
    output.line(made.token);
    output.note(`This is the only time that the token of ${made.id} is shown. It may ${made.access}.`);
  }
}

async function revoke({ output, context }: CommandCall, id: string | undefined): Promise<undefined> {
  if (id === undefined) throw new UsageError('Say which key, as longhand keys lists it.');
  const revoked = await context.run(keyOperations.revokeKey, { key_id: id });
  if (output.isJson) output.json(revoked);
  else output.line(`${id} is revoked.`);
}

async function endSessions({ output, context }: CommandCall): Promise<undefined> {
  const ended = await context.run(keyOperations.endSessions, {});
  if (output.isJson) output.json(ended);
  else output.line('The sessions of all browsers have ended. Keys stay.');
}

async function list({ output, context }: CommandCall): Promise<undefined> {
  const all = await context.run(keyOperations.listKeys, {});
  if (output.isJson) output.json(all);
  else if (all.keys.length === 0) output.note('There are no keys.');
  else
    output.table(
      all.keys.map((key) => [
        output.bold(key.id),
        key.access,
        speaksFor(key),
        stateOf(key),
        output.dim(plain(key.label)),
      ]),
    );
}

function speaksFor({ user_id, agent_id }: ApiKey): string {
  const names = [user_id, agent_id].flatMap((name) => (name === null ? [] : [plain(name)]));
  return names.length === 0 ? 'all users' : names.join(' / ');
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at === null ? 'valid' : `until ${expires_at}`;
}
