import type { OutputOf } from 'longhand/client';
import { Lightbulb } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAct, useAnswer, useCanWrite } from '../../api/hooks.ts';
import { ErrorBox } from '../../parts/error-box.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { failed, toast } from '../../parts/toast.tsx';

type Proposal = OutputOf<'listProposals'>['proposals'][number];

const KINDS = {
  merge: 'Say the same: keep one',
  replace: 'Looks newer: replace the older',
  core: 'Worth keeping for good',
  notes: 'A section for the notes',
} as const;

/** What could be tidied up. Nothing happens before a person accepts it. */
export function Proposals({ agentId }: { readonly agentId: string }): ReactNode {
  const { data, error, refetch } = useAnswer('listProposals', {});
  const find = useAct('findProposals');
  const canWrite = useCanWrite();
  const shown = data?.proposals.filter(({ agent_id }) => agent_id === undefined || agent_id === agentId);
  return (
    <section className="card">
      <div className="spread">
        <h2>Proposals</h2>
        {canWrite && (
          <button
            type="button"
            className="button"
            disabled={find.isPending}
            onClick={() =>
              find.mutate(
                { agent_id: agentId },
                {
                  onSuccess: ({ found }) => toast(found === 0 ? 'Nothing new was found' : `${found} found`),
                  onError: failed,
                },
              )
            }
          >
            <Lightbulb size={15} strokeWidth={1.6} aria-hidden /> Look for some
          </button>
        )}
      </div>
      {error !== null && <ErrorBox error={error} what="The proposals could not be read" onRetry={refetch} />}
      {shown?.length === 0 && (
        <p className="hint">
          Nothing waits. Duplicates to merge, facts that look replaced and journal entries worth keeping are
          proposed here; nothing changes before you accept it.
        </p>
      )}
      <ul className="proposals">
        {shown?.map((proposal) => (
          <li key={proposal.id}>
            <OneProposal proposal={proposal} canWrite={canWrite} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OneProposal({
  proposal,
  canWrite,
}: {
  readonly proposal: Proposal;
  readonly canWrite: boolean;
}): ReactNode {
  const { id, kind, why, memories, text, section, proposed_at } = proposal;
  const [edited, setEdited] = useState<string>();
  const accept = useAct('acceptProposal');
  const dismiss = useAct('dismissProposal');
  const isBusy = accept.isPending || dismiss.isPending;
  return (
    <article className="proposal">
      <h3>{KINDS[kind]}</h3>
      <p className="hint">
        {why} · <RelativeTime time={proposed_at} />
      </p>
      <div className="side-by-side">
        <ul>
          {memories.map((memory) => (
            <li key={memory.id} className="text" dir="auto">
              {memory.text}
            </li>
          ))}
        </ul>
        <div>
          {section !== undefined && <p className="hint">{section}</p>}
          {edited === undefined ? (
            <p className="text" dir="auto">
              {text}
            </p>
          ) : (
            <textarea
              className="field is-text"
              dir="auto"
              rows={4}
              aria-label="What is to be kept"
              value={edited}
              onChange={({ target }) => setEdited(target.value)}
            />
          )}
        </div>
      </div>
      {canWrite && (
        <div className="row">
          <button
            type="button"
            className="button is-main"
            disabled={isBusy}
            onClick={() =>
              accept.mutate(
                { proposal_id: id, ...(edited === undefined ? {} : { text: edited }) },
                { onSuccess: () => toast('Accepted'), onError: failed },
              )
            }
          >
            Accept
          </button>
          <button
            type="button"
            className="button"
            onClick={() => setEdited(edited === undefined ? text : undefined)}
          >
            {edited === undefined ? 'Edit' : 'As proposed'}
          </button>
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={() =>
              dismiss.mutate({ proposal_id: id }, { onSuccess: () => toast('Dismissed'), onError: failed })
            }
          >
            Dismiss
          </button>
        </div>
      )}
    </article>
  );
}
