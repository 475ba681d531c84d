import { Button } from '../../parts/button.tsx';
import './agents.css';
import type { OutputOf } from 'longhand/client';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addressOf, useNameInPath, useParam } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useIsAdmin, useSession } from '../../api/hooks.ts';
import { AgentMark, WHITEBOARD } from '../../parts/agent-mark.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { AgentPage } from './agent-page.tsx';
import { NewAgent } from './new-agent.tsx';

/** All agents, or one of them. */
export function Agents(): ReactNode {
  const id = useNameInPath();
  return id === undefined ? <AgentList /> : <AgentPage key={id} agentId={id} />;
}

function AgentList(): ReactNode {
  const isAdmin = useIsAdmin();
  const [isNew, setNew] = useParam('new');
  const asked = useAnswerPages('listAgents', { limit: 100 }, ({ agents }) => agents);
  const { data, error, refetch, hasNextPage, fetchNextPage } = asked;
  return (
    <>
      <PageHead title="Agents">
        {isAdmin && (
          <Button look="main" onClick={() => setNew('1')}>
            <Plus size={16} /> New agent
          </Button>
        )}
      </PageHead>
      {error !== null && data === undefined && (
        <ErrorBox error={error} what="The agents could not be read" onRetry={refetch} />
      )}
      {data === undefined && error === null && <RowsLoading rows={3} />}
      {data?.items.length === 0 && (
        <EmptyState text="There are no agents yet. The first conversation makes one, named default." />
      )}
      <ul className="agent-cards">
        {data?.items.map((agent) => (
          <li key={agent.name}>
            <AgentCard agent={agent} />
          </li>
        ))}
      </ul>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more</Button>}
      {isNew !== undefined && <NewAgent onClose={() => setNew(undefined)} />}
    </>
  );
}

/** How many headings a document of Markdown has. */
const sectionsIn = (text: string): number => text.match(/^#{1,6}\s/gm)?.length ?? 0;

function AgentCard({ agent }: { readonly agent: OutputOf<'getAgent'> }): ReactNode {
  const { name, icon, colour, model_label, model_id, active, memories_count, updated_at } = agent;
  const { me, scope } = useSession();
  const isOn = (scope.user ?? me?.user_id ?? undefined) !== undefined;
  const { data: notes } = useAnswer('readNotes', { agent_id: name }, { isOn });
  const { data: recent } = useAnswer('listChatSessions', { limit: 100 }, { isOn });
  const last = recent?.sessions
    .filter(({ agents }) => agents.includes(name))
    .map(({ last_activity_at }) => last_activity_at)
    .sort()
    .at(-1);
  return (
    <Link className="card agent-card" href={addressOf(['agents', name])}>
      <AgentMark {...{ icon, colour }} />
      <span className="agent-card-text">
        <b dir="auto">{name}</b>
        <span>
          {name === WHITEBOARD
            ? 'what all agents share'
            : (model_label ?? model_id ?? "the model of the server's settings")}
        </span>
      </span>
      <span className="agent-card-facts">
        <span>
          {memories_count.core} core · {memories_count.journal} journal
          {notes !== undefined && ` · ${counted(sectionsIn(notes.text), 'section')} of notes`}
        </span>
        <span>
          {active ? '' : 'not active, '}
          {last === undefined ? 'changed' : 'last used'} <RelativeTime time={last ?? updated_at} />
        </span>
      </span>
    </Link>
  );
}
