import type { ChatMessage, ChatState } from 'longhand/client';
import { describeChange } from 'longhand/react';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { type StoreApi, useStore } from 'zustand';
import { useParam } from '../../api/address.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { textOf } from '../../parts/memory-fields.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { shortNumber } from '../../parts/score-bar.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { exactTime, minuteOf } from '../../parts/times.tsx';
import { failed } from '../../parts/toast.tsx';
import { TrustBadge } from '../../parts/trust-badge.tsx';
import { manifestOf } from './kept-manifests.ts';
import {
  addressOfSource,
  type Manifest,
  type Piece,
  type SectionSum,
  sectionsOf,
  sectionWords,
  textsIn,
} from './manifest.ts';

export interface InspectorProps {
  readonly store: StoreApi<ChatState>;
  /** The answer that is looked at. */
  readonly message: ChatMessage | undefined;
  readonly agent: string | undefined;
  /** Whether the reader has chosen it: on a small screen the inspector is shown then. */
  readonly isChosen: boolean;
  readonly onClose: () => void;
}

/** Why the prompt of an answer looked as it did. */
export function Inspector({ store, message, agent, isChosen, onClose }: InspectorProps): ReactNode {
  return (
    <aside
      className={isChosen ? 'card inspector is-chosen' : 'card inspector'}
      aria-label="Context of the answer"
    >
      <header className="spread">
        <h2>What the model saw</h2>
        <button type="button" className="icon-button inspector-close" aria-label="Close" onClick={onClose}>
          <X size={18} />
        </button>
      </header>
      {message === undefined ? (
        <EmptyState text="After the first answer: what was in its prompt, why, and what was left out." />
      ) : (
        <Inspected store={store} message={message} agent={agent} />
      )}
    </aside>
  );
}

/** The prompt of the same question, assembled again. */
function useReplay(
  store: StoreApi<ChatState>,
  message: ChatMessage,
  agent: string | undefined,
  asOf: string | undefined,
) {
  const { sessionId, messages } = store.getState();
  const asked = messages.slice(0, messages.indexOf(message)).findLast(({ sender }) => sender === 'user');
  const kept = manifestOf(message);
  const tools = kept?.pieces.reduce(
    (sum, { section, tokens }) => (section === 'tools' ? sum + tokens : sum),
    0,
  );
  // The transcript does not say which agent of the session has answered.
  const isUnknown = message.agentId === undefined && agent === undefined;
  const session = useAnswer('getChatSession', { session_id: sessionId }, { isOn: isUnknown });
  const agentId = message.agentId ?? agent ?? session.data?.agents[0] ?? 'default';
  const question = asked?.text ?? '';
  const answer = useAnswer(
    'assembleContext',
    {
      session_id: sessionId,
      messages: [{ role: 'user', content: question }],
      now: asOf ?? kept?.now ?? message.timestamp.toISOString(),
      agent_id: agentId,
      ...(kept === undefined ? {} : { budget: kept.budget, tools: tools ?? 0 }),
    },
    { isOn: asked !== undefined && message.isPartial !== true && !session.isLoading, keepsShowing: true },
  );
  return { ...answer, question };
}

function Inspected({
  store,
  message,
  agent,
}: Pick<InspectorProps, 'store' | 'agent'> & { readonly message: ChatMessage }): ReactNode {
  const [asOf, setAsOf] = useParam('asof');
  const replay = useReplay(store, message, agent, asOf);
  const kept = asOf === undefined ? manifestOf(message) : undefined;
  const manifest = kept ?? (replay.data?.manifest as unknown as Manifest | undefined);
  if (manifest === undefined)
    return replay.error === null ? (
      message.isPartial ? (
        <p className="hint">The answer is being written.</p>
      ) : (
        <RowsLoading />
      )
    ) : (
      <ErrorBox
        error={replay.error}
        what="The prompt could not be assembled again"
        onRetry={replay.refetch}
      />
    );
  return (
    <>
      <p className={kept === undefined ? 'notice' : 'hint'} role="status">
        {kept !== undefined ? (
          <>
            <b>As it was then</b>: these reasons came with the answer.
          </>
        ) : asOf === undefined ? (
          <>
            <b>As it would be now</b>: the reasons of this answer are no longer known, so the same question is
            asked of the memory as it is now.
          </>
        ) : (
          <>
            <b>As it would be now</b>: the same question to the memory as it is now, as if asked{' '}
            {exactTime(asOf)}.{' '}
            <Button look="link" onClick={() => setAsOf(undefined)}>
              Back to the answer
            </Button>
          </>
        )}
      </p>
      <Budget manifest={manifest} />
      <Cache manifest={manifest} />
      <Remembered store={store} message={message} />
      <Tabs
        label="The prompt"
        param="prompt"
        tabs={[
          {
            id: 'pieces',
            label: 'Pieces',
            content: () => (
              <Pieces store={store} manifest={manifest} messages={replay.data?.messages ?? []} />
            ),
          },
          {
            id: 'out',
            label: `Left out ${count(manifest.near_misses.length + manifest.other_misses)}`,
            content: () => <LeftOut store={store} manifest={manifest} question={replay.question} />,
          },
          {
            id: 'sent',
            label: 'As sent',
            content: () => (
              <AsSent messages={replay.data?.messages} asOf={asOf ?? manifest.now} onAsOf={setAsOf} />
            ),
          },
        ]}
      />
    </>
  );
}

function Budget({ manifest }: { readonly manifest: Manifest }): ReactNode {
  const { budget, total } = manifest;
  const sections = sectionsOf(manifest).filter(({ tokens }) => tokens > 0);
  const text = `${count(total)} of ${count(budget)} tokens, ${count(budget - total)} left`;
  return (
    <div className="budget">
      <p>
        <b>{count(total)}</b> of {count(budget)} tokens, <b>{count(budget - total)}</b> left
      </p>
      <div className="budget-bar" role="img" aria-label={text}>
        {sections.map(({ section, tokens }) => (
          <i
            key={section}
            className={`is-${section}`}
            title={`${sectionWords(section)}: ${count(tokens)} tokens`}
            style={{ inlineSize: `${(tokens / budget) * 100}%` }}
          />
        ))}
      </div>
    </div>
  );
}

function Cache({ manifest }: { readonly manifest: Manifest }): ReactNode {
  const { stable_prefix, changed_sections, prefix_broken } = manifest;
  const changed = changed_sections.map((section) => sectionWords(section).toLowerCase()).join(', ');
  return (
    <dl className="facts cache">
      <div>
        <dt>Cache</dt>
        <dd>
          {stable_prefix.tokens === 0
            ? 'No earlier turn to share a beginning with.'
            : `The first ${counted(stable_prefix.tokens, 'token')} are as in the turn before.`}
          {prefix_broken !== null && (
            <span className="warn"> Not cached after that: {breakWords(prefix_broken)}.</span>
          )}
        </dd>
      </div>
      {stable_prefix.tokens > 0 && changed !== '' && (
        <div>
          <dt>Changed</dt>
          <dd>{changed}</dd>
        </div>
      )}
    </dl>
  );
}

/** The reason names the section where that is all that changed: in the words of this page. */
function breakWords({ section, why }: NonNullable<Manifest['prefix_broken']>): string {
  const words = sectionWords(section).toLowerCase();
  return why.startsWith(section) ? words + why.slice(section.length) : `${words}: ${why}`;
}

function Remembered(props: Pick<InspectorProps, 'store'> & { readonly message: ChatMessage }): ReactNode {
  const { store, message } = props;
  if (message.remembered === undefined) return null;
  return (
    <section className="remembered">
      <h3>Remembered this turn</h3>
      <ul>
        {message.remembered.map((piece, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a memory can be changed twice, and the changes never change places
          <li key={i}>
            <span className="hint">{describeChange(piece)}</span>
            <span className="piece-text" dir="auto">
              {piece.text}
            </span>
            {piece.undo !== undefined && !piece.isUndone && (
              <Button
                look="link"
                onClick={() => void store.getState().undo(message.id, piece.key).catch(failed)}
              >
                Undo
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The texts of pieces, as far as they are known here: from the prompt, the conversation and the agent's own memories. */
function useTexts(store: StoreApi<ChatState>, manifest: Manifest, messages: readonly object[]) {
  const said = useStore(store, (state) => state.messages);
  const { agent_id: agent } = manifest;
  const own = useAnswer(
    'listAgentMemories',
    { agent_id: agent ?? '', limit: 100 },
    {
      isOn:
        agent !== null &&
        manifest.pieces.some(({ source: { layer } }) => layer === 'core' || layer === 'journal'),
    },
  );
  const texts = new Map(textsIn(messages));
  for (const { id, text } of said) texts.set(id, text);
  for (const { id, content } of own.data?.memories ?? []) texts.set(id, content);
  return texts;
}

const FOLDED = new Set(['tools', 'lessons', 'conversation', 'placeholders']);

function Pieces({
  store,
  manifest,
  messages,
}: Pick<InspectorProps, 'store'> & {
  readonly manifest: Manifest;
  readonly messages: readonly object[];
}): ReactNode {
  const texts = useTexts(store, manifest, messages);
  const session = useStore(store, (state) => state.sessionId);
  return (
    <div className="sections">
      {sectionsOf(manifest).map((sum) => (
        <Section key={sum.section} sum={sum} texts={texts} agent={manifest.agent_id} session={session} />
      ))}
    </div>
  );
}

interface SectionProps {
  readonly sum: SectionSum;
  readonly texts: ReadonlyMap<string, string>;
  readonly agent: string | null;
  readonly session: string;
}

function Section({ sum, texts, agent, session }: SectionProps): ReactNode {
  const { section, tokens, pieces } = sum;
  return (
    <details className="section" open={!FOLDED.has(section)}>
      <summary>
        <i className={`swatch is-${section}`} aria-hidden />
        <span>{sectionWords(section)}</span>
        <small>{pieces.length > 1 && counted(pieces.length, 'piece')}</small>
        <b>{count(tokens)}</b>
      </summary>
      <ul>
        {pieces.map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a source may give several pieces, which never change places
          <li key={at}>
            <PieceRow piece={piece} text={texts.get(piece.source.id)} agent={agent} session={session} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function PieceRow({
  piece,
  text,
  agent,
  session,
}: Pick<SectionProps, 'agent' | 'session'> & {
  readonly piece: Piece;
  readonly text: string | undefined;
}): ReactNode {
  const { source, reason, tokens, trust, score, is_cut } = piece;
  const address = addressOfSource(source, agent, session, text);
  const name = <bdi className={text === undefined ? 'piece-name' : 'piece-text'}>{text ?? source.id}</bdi>;
  return (
    <div className="piece">
      {address === undefined ? name : <Link href={address}>{name}</Link>}
      <p className="piece-facts">
        <span>{reason}</span>
        {is_cut && <span className="warn">shortened</span>}
        <TrustBadge trust={trust ?? undefined} />
        {score !== undefined && <Score score={score} />}
        <span className="piece-tokens" title={counted(tokens, 'token')}>
          {count(tokens)}
        </span>
      </p>
    </div>
  );
}

function Score({ score }: { readonly score: Readonly<Record<string, number>> }): ReactNode {
  const { relevance, importance } = score;
  const all = Object.entries(score).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${shortNumber(value)}`,
  );
  return (
    <span title={all.join(' · ')}>
      {relevance === undefined
        ? `importance ${importance?.toFixed(2) ?? ''}`
        : `relevance ${shortNumber(relevance)}`}
    </span>
  );
}

interface LeftOutProps extends Pick<InspectorProps, 'store'> {
  readonly manifest: Manifest;
  readonly question: string;
}

function LeftOut({ store, manifest, question }: LeftOutProps): ReactNode {
  const session = useStore(store, (state) => state.sessionId);
  const said = useStore(store, (state) => state.messages);
  const { near_misses, other_misses, agent_id } = manifest;
  // The manifest names memories of all sessions by their ids: what was nearly recalled is found by the same question.
  const found = useAnswer(
    'search',
    { text: question, limit: 100, details: false, include_replaced: true, now: manifest.now },
    { isOn: question !== '' && near_misses.some(({ source }) => source.layer === 'memories') },
  );
  const texts = new Map(found.data?.memories.map(({ id, content }) => [id, textOf(content)]));
  for (const { id, text } of said) texts.set(id, text);
  if (near_misses.length + other_misses === 0)
    return <EmptyState text="Nothing was left out: all that was found did fit." />;
  return (
    <>
      <ul className="left-out">
        {near_misses.map(({ section, source, why, tokens, score }) => {
          const text = texts.get(source.id);
          const address = addressOfSource(source, agent_id, session, text);
          const name =
            source.layer === 'memories' && text === undefined && !found.isLoading ? (
              <MemoryText id={source.id} />
            ) : (
              <bdi className={text === undefined ? 'piece-name' : 'piece-text'}>{text ?? source.id}</bdi>
            );
          return (
            <li key={`${section} ${source.id}`} className="piece">
              {address === undefined ? name : <Link href={address}>{name}</Link>}
              <p className="piece-facts">
                <span dir="auto">
                  {why.replace(/\bmem_\w+/, (id) => `“${(texts.get(id) ?? id).slice(0, 60)}…”`)}
                </span>
                <span>{sectionWords(section).toLowerCase()}</span>
                {score !== undefined && <Score score={score} />}
                {tokens !== undefined && <span className="piece-tokens">{count(tokens)}</span>}
              </p>
            </li>
          );
        })}
      </ul>
      {other_misses > 0 && <p className="hint">{counted(other_misses, 'other piece')} further away.</p>}
    </>
  );
}

/** A memory that the question does not find, such as one that stands in every prompt. */
function MemoryText({ id }: { readonly id: string }): ReactNode {
  const { data, error } = useAnswer('references', { memory_id: id, depth: 1 });
  const text = data?.nodes.find((node) => node.id === id)?.text;
  return (
    <>
      <bdi className={text === undefined ? 'piece-name' : 'piece-text'}>{text ?? id}</bdi>
      {error !== null && <span className="hint"> no longer there</span>}
    </>
  );
}

interface AsSentProps {
  readonly messages: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly asOf: string;
  readonly onAsOf: (asOf: string | undefined) => void;
}

/** The messages themselves. Only their reasons are kept with an answer, so they are assembled again. */
function AsSent({ messages, asOf, onAsOf }: AsSentProps): ReactNode {
  const [when, setWhen] = useState(minuteOf(asOf).replace(' ', 'T'));
  return (
    <div className="stack">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          const date = new Date(when);
          onAsOf(Number.isNaN(date.getTime()) ? undefined : date.toISOString());
        }}
      >
        <label htmlFor="as-of">As if asked at</label>
        <input
          id="as-of"
          className="field as-of"
          type="datetime-local"
          value={when}
          onChange={(event) => setWhen(event.target.value)}
        />
        <Button type="submit">Replay</Button>
      </form>
      <p className="hint">
        As it would be now: assembled again from the memory of today. What came after the answer may be in it.
      </p>
      {messages === undefined ? (
        <RowsLoading />
      ) : (
        <>
          <div className="spread">
            <span className="hint">{counted(messages.length, 'message')}</span>
            <CopyButton text={JSON.stringify(messages, null, 2)} label="Copy as JSON" />
          </div>
          {messages.map(({ role, content }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of a prompt have no ids, and never change places
            <div key={at} className="sent">
              <span className="label">{String(role)}</span>
              <pre dir="auto">{typeof content === 'string' ? content : JSON.stringify(content, null, 2)}</pre>
            </div>
          ))}
        </>
      )}
    </div>
  );
}
