import { WHITEBOARD } from '../../parts/agent-mark.tsx';
import { Choice } from '../../parts/choice.tsx';
import 'longhand/react/chat-panel.css';
import './chat.css';
import type { ChatMessage, ChatState } from 'longhand/client';
import { ChatPanel } from 'longhand/react';
import { History } from 'lucide-react';
import { type ReactNode, useCallback, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { type StoreApi, useStore } from 'zustand';
import { addressOf, useNameInPath, useParam } from '../../api/address.ts';
import { useAnswer } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Menu, MenuLink } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';
import { relativeTime } from '../../parts/times.tsx';
import { Inspector } from './inspector.tsx';
import { keepManifests } from './kept-manifests.ts';
import { useOpenChat } from './open-chat.ts';

/** A conversation, and beside it why the prompt of an answer looked as it did. */
export function Chat(): ReactNode {
  const session = useNameInPath();
  const [agent] = useParam('agent');
  const store = useOpenChat(agent);
  return (
    <div className="chat-page">
      <PageHead title="Chat">
        <AgentChoice />
        <Conversations agent={agent} session={session} />
      </PageHead>
      {store === undefined ? (
        <PageLoading />
      ) : store instanceof Error ? (
        <ErrorBox error={store} what="The chat could not be opened" />
      ) : (
        <OpenChat store={store} session={session} agent={agent} />
      )}
    </div>
  );
}

interface OpenChatProps {
  readonly store: StoreApi<ChatState>;
  readonly session: string | undefined;
  readonly agent: string | undefined;
}

function OpenChat({ store, session, agent }: OpenChatProps): ReactNode {
  const [, navigate] = useLocation();
  const [turn, setTurn] = useParam('turn');
  const toSession = useCallback(
    (id: string) => navigate(addressOf(['chat', id], { agent }), { replace: session === undefined }),
    [navigate, agent, session],
  );
  // The address leads, except where the panel begins another conversation.
  useEffect(() => {
    const { sessionId, openSession } = store.getState();
    if (session === undefined) toSession(sessionId);
    else if (session !== sessionId) void openSession(session);
    return store.subscribe((now, before) => {
      if (now.sessionId !== before.sessionId && now.sessionId !== session) toSession(now.sessionId);
    });
  }, [store, session, toSession]);
  const select = (message: ChatMessage): void => setTurn(message.id);
  const messages = useStore(store, (state) => state.messages);
  useEffect(() => keepManifests(messages), [messages]);
  const selected =
    messages.find(({ id }) => id === turn) ??
    messages.findLast(({ sender, text }) => sender === 'ai' && text !== '');
  return (
    <div className="chat-columns">
      <div className="card chat-column">
        <ChatPanel
          store={store}
          title="Conversation"
          isClosable={false}
          selectedId={turn === undefined ? undefined : selected?.id}
          onSelect={select}
          empty={<Beginnings store={store} agent={agent} />}
        />
      </div>
      <Inspector
        key={selected?.id ?? 'none'}
        store={store}
        message={selected}
        agent={agent}
        isChosen={turn !== undefined}
        onClose={() => setTurn(undefined)}
      />
    </div>
  );
}

const BEGINNINGS = [
  'Remember that I prefer short answers with sources.',
  'What do you know about me?',
  'What did we decide last?',
];

function Beginnings({ store, agent }: Pick<OpenChatProps, 'store' | 'agent'>): ReactNode {
  const { data } = useAnswer('agentOptions', agent === undefined ? {} : { agent_id: agent });
  return (
    <div className="beginnings">
      <p>Say something worth remembering, or ask what is remembered.</p>
      {BEGINNINGS.map((text) => (
        <button key={text} type="button" onClick={() => void store.getState().send(text)}>
          {text}
        </button>
      ))}
      {data?.grouped_models.Demo !== undefined && (
        <p className="hint">
          This is the demo model: it needs no key. A model is set up in the server's settings and chosen on
          the <Link href="/agents">agents' pages</Link>.
        </p>
      )}
    </div>
  );
}

function AgentChoice(): ReactNode {
  const [agent, setAgent] = useParam('agent');
  const { data } = useAnswer('listAgents', {});
  const talking = data?.agents.filter(({ id }) => id !== WHITEBOARD) ?? [];
  if (talking.length === 0) return null;
  return (
    <Choice
      className="field agent-choice"
      aria-label="Who answers"
      value={agent ?? ''}
      options={[['', 'The agents of the session'], ...talking.map(({ id }) => [id] as const)]}
      onChoose={setAgent}
    />
  );
}

const MOST_CONVERSATIONS = 20;

function Conversations({ agent, session }: Pick<OpenChatProps, 'agent' | 'session'>): ReactNode {
  // The server gives them by their names.
  const { data } = useAnswer('listChatSessions', { limit: 1_000 });
  const newest = data?.sessions
    .toSorted((left, right) => right.last_activity_at.localeCompare(left.last_activity_at))
    .slice(0, MOST_CONVERSATIONS);
  return (
    <Menu
      label="Other conversations"
      className="button"
      trigger={
        <>
          <History size={15} /> Conversations
        </>
      }
    >
      {newest?.length === 0 && <EmptyState text="There are none yet." />}
      {newest?.map(({ session_id, last_activity_at }) => (
        <MenuLink key={session_id} href={addressOf(['chat', session_id], { agent })} icon={History}>
          <span className="conversation-name" data-current={session_id === session}>
            <FirstWords session={session_id} />
            <small>{relativeTime(last_activity_at)}</small>
          </span>
        </MenuLink>
      ))}
    </Menu>
  );
}

/** What a conversation began with; its name where nothing was said. */
function FirstWords({ session }: { readonly session: string }): ReactNode {
  const { data } = useAnswer('listChatMessages', { session_id: session, limit: 1 });
  return <bdi>{data?.messages[0]?.content ?? session}</bdi>;
}
