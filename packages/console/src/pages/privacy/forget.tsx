import type { OutputOf } from 'longhand/client';
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useFilters } from '../../api/address.ts';
import { useAct, useAnswer, useCanWrite, useSession } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Field } from '../../parts/field.tsx';
import { GoingList, layersOf } from '../../parts/going.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { ReceiptCard } from './receipt-card.tsx';
import { type Chosen, chosenIn, KINDS, type Kind, type Selection, selectionOf } from './selection.ts';

/** Who or what → what will go → the number, to confirm → receipt. */
export function Forget(): ReactNode {
  const [params, change] = useFilters();
  const chosen = chosenIn(params);
  const selection = params.get('look') === null ? undefined : selectionOf(chosen);
  const [receipt, setReceipt] = useState<OutputOf<'forget'>>();
  return (
    <div className="forget">
      <Choice
        key={JSON.stringify(chosen)}
        chosen={chosen}
        onLook={({ kind, value, from, to }) => {
          setReceipt(undefined);
          change({ what: kind, value, from, to, look: '1' });
        }}
      />
      {receipt !== undefined ? (
        <section className="card" aria-live="polite">
          <h2>{receipt.receipt_id === null ? 'There was nothing to forget' : 'Forgotten'}</h2>
          <ReceiptCard receipt={receipt} {...(chosen.kind === 'text' ? { words: chosen.value } : {})} />
        </section>
      ) : (
        selection !== undefined && (
          <Preview
            key={JSON.stringify(selection)}
            selection={selection}
            onForgotten={(made) => {
              setReceipt(made);
              change({ look: undefined });
            }}
          />
        )
      )}
    </div>
  );
}

function Choice({
  chosen,
  onLook,
}: {
  readonly chosen: Chosen;
  readonly onLook: (chosen: Chosen) => void;
}): ReactNode {
  const [draft, setDraft] = useState(chosen);
  const { me } = useSession();
  const id = useId();
  const { kind, value, from, to } = draft;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onLook(draft);
  };
  const kinds = (Object.keys(KINDS) as Kind[]).filter((one) => one !== 'agent' || me?.role === 'admin');
  return (
    <form className="card forget-choice" onSubmit={submit}>
      <fieldset>
        <legend>
          <h2>What is to be forgotten?</h2>
        </legend>
        <div className="kinds">
          {kinds.map((one) => (
            <label key={one} className="kind" data-chosen={one === kind}>
              <input
                type="radio"
                name={id}
                checked={one === kind}
                onChange={() => setDraft({ ...draft, kind: one, value: '' })}
              />
              {KINDS[one].label}
            </label>
          ))}
        </div>
      </fieldset>
      <p className="hint">{KINDS[kind].about}</p>
      {kind === 'time' ? (
        <div className="row">
          <Field
            label="From"
            type="date"
            className="field day"
            required
            value={from}
            onWrite={(text) => setDraft({ ...draft, from: text })}
          />
          <Field
            label="to"
            type="date"
            className="field day"
            required
            min={from}
            value={to}
            onWrite={(text) => setDraft({ ...draft, to: text })}
          />
        </div>
      ) : (
        kind !== 'everything' && (
          <Value
            key={kind}
            kind={kind}
            value={value}
            onChange={(text) => setDraft({ ...draft, value: text })}
          />
        )
      )}
      <div className="row">
        <Button type="submit" look="main" disabled={selectionOf(draft) === undefined}>
          Show what would go
        </Button>
        <span className="hint">Nothing is forgotten yet.</span>
      </div>
    </form>
  );
}

const NAMES: Readonly<Partial<Record<Kind, string>>> = {
  text: 'The words',
  topic: 'The tag',
  session: 'The session',
  agent: 'The agent',
};

function Value({
  kind,
  value,
  onChange,
}: {
  readonly kind: Kind;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const sessions = useAnswer('listChatSessions', { limit: 50 }, { isOn: kind === 'session' });
  const agents = useAnswer('listAgents', {}, { isOn: kind === 'agent' });
  const known =
    kind === 'session'
      ? sessions.data?.sessions.map(({ session_id }) => session_id)
      : kind === 'agent'
        ? agents.data?.agents.map(({ id }) => id)
        : undefined;
  return <Field label={NAMES[kind]} autoComplete="off" known={known} value={value} onWrite={onChange} />;
}

function Preview({
  selection,
  onForgotten,
}: {
  readonly selection: Selection;
  readonly onForgotten: (receipt: OutputOf<'forget'>) => void;
}): ReactNode {
  const { data, error, refetch } = useAnswer('previewForgetting', selection);
  if (error !== null)
    return <ErrorBox error={error} what="What would go could not be found out" onRetry={refetch} />;
  if (data === undefined) return <RowsLoading />;
  const layers = layersOf(data);
  const total = layers.reduce((sum, { number }) => sum + number, 0);
  const { items, items_left_out = 0, damaged_lines = 0, unread_sessions = 0 } = data;
  if (total + damaged_lines === 0)
    return (
      <section className="card">
        <EmptyState text="Nothing is stored that this would forget." />
      </section>
    );
  const derived = items.filter(({ reason }) => reason !== 'asked for');
  const asked = items.filter(({ reason }) => reason === 'asked for');
  return (
    <section className="card preview">
      <h2>This would go</h2>
      <ul className="layer-counts">
        {layers.map(({ layer, number, words }) => (
          <li key={layer}>
            <b>{count(number)}</b> {words}
          </li>
        ))}
      </ul>
      {asked.length > 0 && (
        <div>
          <h3>What was asked for</h3>
          <GoingList items={asked} />
        </div>
      )}
      {derived.length > 0 && (
        <div>
          <h3>What goes along, because it was made from it</h3>
          <GoingList items={derived} />
        </div>
      )}
      {items_left_out > 0 && <p className="hint">… and {counted(items_left_out, 'piece')} more.</p>}
      <div className="unreached">
        <h3>What this cannot reach</h3>
        <ul>
          {damaged_lines > 0 && (
            <li className="warn">
              {counted(damaged_lines, 'line')} cannot be read. They go as well, as they may hold what is
              meant.
            </li>
          )}
          {unread_sessions > 0 && (
            <li className="warn">
              {counted(unread_sessions, 'session')} cannot be read: what is in them is not counted here.
            </li>
          )}
          <li>Backups and exports that were made before.</li>
          <li>What was sent to the provider of a model.</li>
        </ul>
      </div>
      <Confirmation selection={selection} total={total} onForgotten={onForgotten} />
    </section>
  );
}

function Confirmation({
  selection,
  total,
  onForgotten,
}: {
  readonly selection: Selection;
  readonly total: number;
  readonly onForgotten: (receipt: OutputOf<'forget'>) => void;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const canWrite = useCanWrite();
  const forget = useAct('forget');
  const forgetAgent = useAct('forgetAgent');
  const id = useId();
  const isBusy = forget.isPending || forgetAgent.isPending;
  const error = forget.error ?? forgetAgent.error;
  const run = async (): Promise<void> => {
    const { agent_id, ...rest } = selection;
    const isEverything = Object.keys(rest).length === 0;
    const receipt =
      agent_id === undefined
        ? await forget.mutateAsync(isEverything ? { everything: true } : rest)
        : await forgetAgent.mutateAsync({ agent_id });
    onForgotten(receipt);
  };
  useWarnBeforeLeaving(isBusy);
  if (!canWrite)
    return <p className="notice">This key may only read. Forgetting needs one that may write.</p>;
  return (
    <form
      className="confirmation"
      onSubmit={(event) => {
        event.preventDefault();
        void run().catch(() => undefined);
      }}
    >
      <label htmlFor={id}>
        This cannot be taken back. Type <b>{total}</b> to forget {total === 1 ? 'it' : 'all of it'}.
      </label>
      <div className="row">
        <input
          id={id}
          className="field number"
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" look="danger" disabled={typed.trim() !== String(total) || isBusy}>
          {isBusy ? 'Forgetting …' : `Forget ${counted(total, 'piece')}`}
        </Button>
      </div>
      {isBusy && (
        <p role="status">Every layer is gone through. This may take a while; the page can stay open.</p>
      )}
      {error !== null && (
        <ErrorBox
          error={error}
          what="It could not be forgotten"
          kept="What is not named in a receipt is still there."
        />
      )}
    </form>
  );
}

function useWarnBeforeLeaving(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isOn]);
}
