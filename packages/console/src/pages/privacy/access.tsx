import type { OutputOf } from 'longhand/client';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useAct, useAnswer, useSession } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Field } from '../../parts/field.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { failed, toast } from '../../parts/toast.tsx';

/** Keys and members of the account. */
export function Access(): ReactNode {
  return (
    <div className="access">
      <Keys />
      <Members />
    </div>
  );
}

type Key = OutputOf<'listKeys'>['keys'][number];
const ACCESSES = {
  read: 'read: look and search',
  write: 'write: also remember, change and forget',
  admin: 'admin: everything, keys and members too',
} as const;

function Keys(): ReactNode {
  const asked = useAnswer('listKeys', {});
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Key>();
  const revoke = useAct('revokeKey');
  return (
    <section className="card">
      <div className="spread">
        <h2>API keys</h2>
        <button type="button" className="button" onClick={() => setMaking(true)}>
          New key
        </button>
      </div>
      <Answered asked={asked} what="The keys could not be read" rows={3}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState text="There are no keys yet. With auth.enabled the server asks every program for one." />
          ) : (
            <table className="list-table">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">May</th>
                  <th scope="col">Speaks for</th>
                  <th scope="col">Last used</th>
                  <th scope="col">
                    <span className="visually-hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {keys.map((key) => (
                  <tr key={key.id} data-ended={stateOf(key) !== undefined}>
                    <td>
                      <b dir="auto">{key.label}</b>
                      <small>
                        made <RelativeTime time={key.created_at} />
                      </small>
                    </td>
                    <td>{key.access}</td>
                    <td>
                      <bdi>{key.user_id ?? 'every user'}</bdi>
                      {key.agent_id !== null && (
                        <>
                          , agent <bdi>{key.agent_id}</bdi>
                        </>
                      )}
                    </td>
                    <td>{key.last_used_at === null ? 'never' : <RelativeTime time={key.last_used_at} />}</td>
                    <td className="is-end">
                      {stateOf(key) ?? (
                        <button type="button" className="button is-danger" onClick={() => setRevoking(key)}>
                          Revoke…
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Answered>
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {revoking !== undefined && (
        <Confirm
          question={`Revoke the key “${revoking.label}”?`}
          action="Revoke"
          isBusy={revoke.isPending}
          onClose={() => setRevoking(undefined)}
          onConfirm={() => {
            const done = (): void => {
              toast('Key revoked.');
              setRevoking(undefined);
            };
            revoke.mutate({ key_id: revoking.id }, { onSuccess: done, onError: failed });
          }}
        >
          <p>Programs that use it are refused from their next request on. This cannot be taken back.</p>
        </Confirm>
      )}
    </section>
  );
}

function stateOf({ revoked_at, expires_at }: Key): string | undefined {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) < Date.now() ? 'expired' : undefined;
}

function NewKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { scope } = useSession();
  const [label, setLabel] = useState('');
  const [access, setAccess] = useState<keyof typeof ACCESSES>('write');
  const [user, setUser] = useState(scope.user ?? '');
  const [expires, setExpires] = useState('');
  const make = useAct('createKey');
  const id = useId();
  const { data, error, isPending } = make;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate({
      ...{ label, access },
      ...(user.trim() === '' ? {} : { user_id: user.trim() }),
      ...(expires === '' ? {} : { expires_at: new Date(`${expires}T23:59:59`).toISOString() }),
    });
  };
  if (data !== undefined)
    return (
      <Dialog
        title="The new key"
        onClose={onClose}
        isRequired
        foot={
          <button type="button" className="button is-main" onClick={onClose}>
            I have kept it
          </button>
        }
      >
        <p>This is the only time that it is shown. A program that has it has its rights.</p>
        <p className="command">
          <code>{data.token}</code>
          <CopyButton text={data.token} label="Copy the key" />
        </p>
      </Dialog>
    );
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      foot={
        <button
          type="submit"
          form={id}
          className="button is-main"
          disabled={isPending || label.trim() === ''}
        >
          Make the key
        </button>
      }
    >
      <form id={id} className="stack" onSubmit={submit}>
        <Field label="What it is for" value={label} onChange={({ target }) => setLabel(target.value)} />
        <label htmlFor={`${id}-access`}>What it may do</label>
        <select
          id={`${id}-access`}
          className="field"
          value={access}
          onChange={(event) => setAccess(event.target.value as keyof typeof ACCESSES)}
        >
          {Object.entries(ACCESSES).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
        <Field
          label="Speaks for one user only"
          placeholder="every user"
          value={user}
          onChange={({ target }) => setUser(target.value)}
        />
        <Field
          label="Until"
          type="date"
          value={expires}
          onChange={({ target }) => setExpires(target.value)}
        />
        {error !== null && <ErrorBox error={error} what="The key was not made" />}
      </form>
    </Dialog>
  );
}

type Role = 'member' | 'admin';

function Members(): ReactNode {
  const asked = useAnswer('listMembers', {});
  const [user, setUser] = useState('');
  const [removing, setRemoving] = useState<string>();
  const add = useAct('addMember');
  const change = useAct('changeMember');
  const remove = useAct('removeMember');
  const { me } = useSession();
  return (
    <section className="card">
      <h2>Members</h2>
      <form
        className="row add-member"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ user_id: user.trim() }, { onSuccess: () => setUser(''), onError: failed });
        }}
      >
        <input
          className="field"
          aria-label="The user, as their tokens name them"
          placeholder="user id"
          value={user}
          onChange={(event) => setUser(event.target.value)}
        />
        <button type="submit" className="button" disabled={user.trim() === '' || add.isPending}>
          Add
        </button>
      </form>
      <Answered asked={asked} what="The members could not be read" rows={2}>
        {({ members }) =>
          members.length === 0 ? (
            <EmptyState text="There are no members yet: keys speak for the users that they name." />
          ) : (
            <ul className="members">
              {members.map(({ user_id, role }) => (
                <li key={user_id}>
                  <span>
                    <bdi>{user_id}</bdi> {user_id === me?.user_id && <small>you</small>}
                  </span>
                  <select
                    className="field"
                    aria-label={`Role of ${user_id}`}
                    value={role}
                    onChange={(event) =>
                      change.mutate({ user_id, role: event.target.value as Role }, { onError: failed })
                    }
                  >
                    <option value="member">member</option>
                    <option value="admin">admin</option>
                  </select>
                  <button type="button" className="button" onClick={() => setRemoving(user_id)}>
                    Remove…
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <p className="hint">Members see their own memory; admins also what all users share, and this page.</p>
      {removing !== undefined && (
        <Confirm
          question={`Remove ${removing}?`}
          action="Remove"
          isBusy={remove.isPending}
          onClose={() => setRemoving(undefined)}
          onConfirm={() =>
            remove.mutate({ user_id: removing }, { onSuccess: () => setRemoving(undefined), onError: failed })
          }
        >
          <p>Keys and tokens of this user no longer count. Their memory stays; forget it under Forget.</p>
        </Confirm>
      )}
    </section>
  );
}
