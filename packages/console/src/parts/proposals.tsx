import type { OutputOf } from 'longhand/client';
import { Lightbulb } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useParam } from '../api/address.ts';
import { useAct, useAnswer, useCanWrite } from '../api/hooks.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorBox } from './error-box.tsx';
import { RowsLoading } from './page-loading.tsx';
import { Segments } from './segments.tsx';
import { RelativeTime } from './times.tsx';
import { failed, toast } from './toast.tsx';

type Proposal = OutputOf<'listProposals'>['proposals'][number];

const KINDS = {
  merge: 'Say the same: keep one',
  replace: 'Looks newer: replace the older',
  core: 'Worth keeping for good',
  notes: 'A section for the notes',
} as const;
const FEW = 4;

export interface ProposalsProps {
  /** Only what is for this agent, or for none. */
  readonly agent?: string;
  /** The page has a heading of its own. */
  readonly isPage?: boolean;
}

/** What could be tidied up. Nothing happens before a person accepts it. */
export function Proposals({ agent, isPage }: ProposalsProps): ReactNode {
  const { data, error, refetch } = useAnswer('listProposals', {});
  const [kind, setKind] = useParam('kind');
  const canWrite = useCanWrite();
  const all = data?.proposals.filter(({ agent_id }) => agent === undefined || (agent_id ?? agent) === agent);
  const shown = all?.filter((one) => !isPage || kind === undefined || one.kind === kind);
  return (
    <>
      <div className="spread">
        {isPage ? (
          <Segments
            label="Kinds of proposals"
            options={Object.fromEntries(
              ['all', ...Object.keys(KINDS)].map((one) => [
                one,
                `${one} ${all?.filter((proposal) => one === 'all' || proposal.kind === one).length ?? ''}`,
              ]),
            )}
            chosen={kind}
            onChoose={setKind}
          />
        ) : (
          <h2>
            <Link href="/proposals">Proposals</Link>
          </h2>
        )}
        {canWrite && <LookForSome agent={agent} />}
      </div>
      {error !== null && <ErrorBox error={error} what="The proposals could not be read" onRetry={refetch} />}
      {data === undefined && error === null && <RowsLoading rows={3} />}
      {shown?.length === 0 && (
        <EmptyState
          text={
            all?.length === 0
              ? 'Nothing waits. Duplicates to merge, facts that look replaced and journal entries worth keeping are proposed here; nothing changes before you accept it.'
              : 'None of this kind.'
          }
        />
      )}
      <ul className="proposals">
        {shown?.map((proposal) => (
          <li key={proposal.id}>
            <OneProposal proposal={proposal} />
          </li>
        ))}
      </ul>
    </>
  );
}

function LookForSome({ agent }: { readonly agent: string | undefined }): ReactNode {
  const find = useAct('findProposals');
  return (
    <Button
      disabled={find.isPending}
      onClick={() =>
        find.mutate(agent === undefined ? {} : { agent_id: agent }, {
          onSuccess: ({ found }) => toast(found === 0 ? 'Nothing new was found' : `${found} found`),
          onError: failed,
        })
      }
    >
      <Lightbulb size={15} /> Look for some
    </Button>
  );
}

function OneProposal({ proposal }: { readonly proposal: Proposal }): ReactNode {
  const canWrite = useCanWrite();
  const { id, kind, why, memories, text, section, proposed_at } = proposal;
  const [edited, setEdited] = useState<string>();
  const [isAll, setAll] = useState(false);
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
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and keys have to reach it */}
        <ul tabIndex={0} aria-label="What it is about">
          {memories.slice(0, isAll ? memories.length : FEW).map((memory) => (
            <li key={memory.id} className="text" dir="auto">
              {memory.text}
            </li>
          ))}
          {memories.length > FEW && !isAll && (
            <li>
              <Button look="link" onClick={() => setAll(true)}>
                {memories.length - FEW} more
              </Button>
            </li>
          )}
        </ul>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and keys have to reach it */}
        <section tabIndex={0} aria-label="What would be kept">
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
        </section>
      </div>
      {canWrite && (
        <div className="row">
          <Button
            look="main"
            disabled={isBusy}
            onClick={() =>
              accept.mutate(
                { proposal_id: id, ...(edited === undefined ? {} : { text: edited }) },
                { onSuccess: () => toast('Accepted'), onError: failed },
              )
            }
          >
            Accept
          </Button>
          <Button onClick={() => setEdited(edited === undefined ? text : undefined)}>
            {edited === undefined ? 'Edit' : 'As proposed'}
          </Button>
          <Button
            disabled={isBusy}
            onClick={() =>
              dismiss.mutate({ proposal_id: id }, { onSuccess: () => toast('Dismissed'), onError: failed })
            }
          >
            Dismiss
          </Button>
        </div>
      )}
    </article>
  );
}
