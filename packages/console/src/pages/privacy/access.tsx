import type { OutputOf } from 'longhand/client';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useAct, useAnswer, useSession } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
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
        <Button onClick={() => setMaking(true)}>New key</Button>
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
                        <Button look="danger" onClick={() => setRevoking(key)}>
                          Revoke…
                        </Button>
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
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revoke.mutateAsync({ key_id: revoking.id });
            toast('Key revoked.');
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
          <Button look="main" onClick={onClose}>
            I have kept it
          </Button>
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
        <Button type="submit" form={id} look="main" disabled={isPending || label.trim() === ''}>
          Make the key
        </Button>
      }
    >
      <form id={id} className="stack" onSubmit={submit}>
        <Field label="What it is for" value={label} onWrite={setLabel} />
        <Choice
          label="What it may do"
          value={access}
          options={Object.entries(ACCESSES)}
          onChoose={(name) => setAccess(name as keyof typeof ACCESSES)}
        />
        <Field label="Speaks for one user only" placeholder="every user" value={user} onWrite={setUser} />
        <Field label="Until" type="date" value={expires} onWrite={setExpires} />
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
        <Field
          aria-label="The user, as their tokens name them"
          placeholder="user id"
          value={user}
          onWrite={setUser}
        />
        <Button type="submit" disabled={user.trim() === '' || add.isPending}>
          Add
        </Button>
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
                  <Choice
                    aria-label={`Role of ${user_id}`}
                    value={role}
                    options={[['member'], ['admin']]}
                    onChoose={(name) => change.mutate({ user_id, role: name as Role }, { onError: failed })}
                  />
                  <Button onClick={() => setRemoving(user_id)}>Remove…</Button>
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
          onClose={() => setRemoving(undefined)}
          onConfirm={() => remove.mutateAsync({ user_id: removing })}
        >
          <p>Keys and tokens of this user no longer count. Their memory stays; forget it under Forget.</p>
        </Confirm>
      )}
    </section>
  );
}
