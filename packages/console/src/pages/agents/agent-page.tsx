import { ProblemError } from 'longhand/client';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { hasDraft } from '../../api/drafts.ts';
import { useAct, useAnswer, useIsAdmin } from '../../api/hooks.ts';
import { AgentMark, WHITEBOARD } from '../../parts/agent-mark.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';
import { Proposals } from '../../parts/proposals.tsx';
import { toast } from '../../parts/toast.tsx';
import { AgentForm } from './agent-form.tsx';
import { AgentMemory } from './agent-memory.tsx';
import { AsTheModelSeesIt } from './as-the-model-sees-it.tsx';

/** One agent: its settings on the left, what it remembers on the right. */
export function AgentPage({ agentId }: { readonly agentId: string }): ReactNode {
  const { data: agent, error, refetch } = useAnswer('getAgent', { agent_id: agentId });
  const isAdmin = useIsAdmin();
  useEffect(
    () => () => {
      if (hasDraft(`agent ${agentId}`))
        toast(`The changes to ${agentId} are not saved yet. They are kept on its page.`);
    },
    [agentId],
  );
  if (error instanceof ProblemError && error.status === 404)
    return (
      <>
        <PageHead title="There is no such agent" />
        <EmptyState text={<bdi>{agentId}</bdi>}>
          <Link className="button" href="/agents">
            To all agents
          </Link>
        </EmptyState>
      </>
    );
  if (agent === undefined)
    return error === null ? (
      <PageLoading />
    ) : (
      <ErrorBox error={error} what="The agent could not be read" onRetry={refetch} />
    );
  const isWhiteboard = agent.name === WHITEBOARD;
  const state = agent.active ? 'takes part in conversations' : 'not active';
  return (
    <>
      <PageHead
        title={
          <span className="agent-title">
            <AgentMark icon={agent.icon} colour={agent.colour} size={40} />
            <bdi>{agent.name}</bdi>
          </span>
        }
        about={
          <>
            <Link href="/agents">Agents</Link> ·{' '}
            {isWhiteboard ? 'its core is in the prompts of all agents' : state}
          </>
        }
      >
        {isAdmin && <DeleteAgent name={agent.name} />}
      </PageHead>
      {isWhiteboard ? (
        <AgentMemory agentId={agentId} />
      ) : (
        <div className="agent-columns">
          <AgentForm agent={agent} />
          <div className="stack agent-right">
            <AgentMemory agentId={agentId} />
            <AsTheModelSeesIt agentId={agentId} />
            <section className="card">
              <Proposals agent={agentId} />
            </section>
          </div>
        </div>
      )}
    </>
  );
}

function DeleteAgent({ name }: { readonly name: string }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const remove = useAct('deleteAgent');
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        <Trash2 size={15} /> Delete agent…
      </Button>
      {isAsking && (
        <Confirm
          question={`Delete ${name} for good?`}
          action="Delete the agent"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await remove.mutateAsync({ agent_id: name });
            toast(`Agent ${name} deleted`);
            navigate('/agents');
          }}
        >
          <p>
            Its settings go, and with them its journal, its core and its notes on every user. Sessions and
            what was remembered in them stay.
          </p>
        </Confirm>
      )}
    </>
  );
}
