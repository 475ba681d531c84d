import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../api/address.ts';
import { useAnswer, useCanWrite } from '../api/hooks.ts';
import { CopyButton } from './copy-button.tsx';
import { Entry } from './entry.tsx';
import { ErrorBox } from './error-box.tsx';
import { entryOf, type FoundMemory, scoreOf, textOf } from './memory-fields.tsx';
import { RowsLoading } from './page-loading.tsx';
import { PeekPanel } from './peek-panel.tsx';
import { ScoreBar, scoreInNumbers } from './score-bar.tsx';
import { exactTime } from './times.tsx';
import { TrustBadge } from './trust-badge.tsx';
import { TypeIcon } from './type-icon.tsx';

export interface MemoryPeekProps {
  /** `SESSION/MEMORY`, as it stands in the address. */
  readonly place: string;
  /** With its score, when a search found it. */
  readonly found?: FoundMemory | undefined;
  readonly onOpen: (place: string) => void;
  readonly onClose: () => void;
  readonly onEdit: () => void;
  readonly onForget: () => void;
}

export function placeOf({ session_id, id }: { readonly session_id: string; readonly id: string }): string {
  return `${session_id}/${id}`;
}

/** One memory with all that is known of it, beside the list that it is from. */
export function MemoryPeek({ place, found, onOpen, onClose, onEdit, onForget }: MemoryPeekProps): ReactNode {
  const [session_id = '', memory_id = ''] = place.split('/');
  const { data, error, refetch } = useAnswer('getMemory', { session_id, memory_id });
  const canWrite = useCanWrite();
  const memory = data ?? found;
  const score = found === undefined ? undefined : scoreOf(found);
  return (
    <PeekPanel
      title={
        <span className="row">
          {memory !== undefined && <TypeIcon type={memory.type} />}
          {memory?.type ?? 'Memory'}
        </span>
      }
      onClose={onClose}
      foot={
        canWrite &&
        memory !== undefined && (
          <>
            <button type="button" className="button is-danger" onClick={onForget}>
              <Trash2 size={15} strokeWidth={1.6} aria-hidden /> Forget…
            </button>
            <button type="button" className="button" onClick={onEdit}>
              <Pencil size={15} strokeWidth={1.6} aria-hidden /> Edit
            </button>
          </>
        )
      }
    >
      {error !== null && <ErrorBox error={error} what="The memory could not be read" onRetry={refetch} />}
      {memory === undefined && error === null && <RowsLoading rows={3} />}
      {memory !== undefined && (
        <>
          <p className="text" dir="auto">
            {textOf(memory.content)}
          </p>
          {score !== undefined && (
            <section className="peek-score">
              <div className="spread">
                <h3>Why it was found</h3>
                <ScoreBar score={score} />
              </div>
              <p className="hint">
                <code>{scoreInNumbers(score)}</code>
                <br />
                importance × decay × recency × match
              </p>
              {(found?.explanation?.matched_words ?? []).length > 0 && (
                <p className="hint">matched: {found?.explanation?.matched_words?.join(', ')}</p>
              )}
            </section>
          )}
          <Facts memory={memory} />
          <Related memoryId={memory_id} onOpen={onOpen} />
          <Near sessionId={session_id} memoryId={memory_id} onOpen={onOpen} />
        </>
      )}
    </PeekPanel>
  );
}

function Facts({
  memory,
}: {
  readonly memory: NonNullable<ReturnType<typeof useAnswer<'getMemory'>>['data']>;
}): ReactNode {
  const { id, session_id, timestamp, importance, tags, provenance, confirmed_at, updated_at } = memory;
  const { text: _, ...other } = memory.content;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['When', exactTime(timestamp)],
    ['Importance', importance.toFixed(2)],
    ['Tags', tags.length > 0 && tags.join(', ')],
    [
      'Session',
      <Link key="session" href={addressOf(['sessions', session_id])}>
        {session_id}
      </Link>,
    ],
    ['Written by', [provenance.author, provenance.agent_id, provenance.user_id].filter(Boolean).join(' · ')],
    ['Source', provenance.source],
    ['Trust', provenance.trust === 'owner' ? 'owner' : <TrustBadge key="trust" trust={provenance.trust} />],
    ['Confirmed', confirmed_at !== undefined && exactTime(confirmed_at)],
    ['Changed', updated_at !== undefined && exactTime(updated_at)],
    ['More', Object.keys(other).length > 0 && <pre key="more">{JSON.stringify(other, null, 2)}</pre>],
    [
      'Id',
      <span key="id" className="row">
        <code>{id}</code>
        <CopyButton text={id} label="Copy the id" />
      </span>,
    ],
  ];
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface RelatedProps {
  readonly memoryId: string;
  readonly onOpen: (place: string) => void;
}

/** What it refers to or replaces, and what refers to it or replaces it. */
function Related({ memoryId, onOpen }: RelatedProps): ReactNode {
  const { data } = useAnswer('references', { memory_id: memoryId, depth: 1 });
  const edges = data?.edges.filter(({ from, to }) => from === memoryId || to === memoryId) ?? [];
  if (edges.length === 0) return null;
  const byId = new Map(data?.nodes.map((node) => [node.id, node]));
  return (
    <section>
      <h3>Related memories</h3>
      {edges.map(({ from, to, kind }) => {
        const isFrom = from === memoryId;
        const node = byId.get(isFrom ? to : from);
        if (node === undefined) return null;
        const words = kind === 'replaces' ? ['replaces', 'replaced by'] : ['refers to', 'referred to by'];
        const { type, text, timestamp } = node;
        return (
          <Entry
            key={`${from} ${to} ${kind}`}
            entry={{ type, text, time: timestamp, note: words[isFrom ? 0 : 1] }}
            onOpen={() => onOpen(placeOf(node))}
          />
        );
      })}
    </section>
  );
}

interface NearProps {
  readonly sessionId: string;
  readonly memoryId: string;
  readonly onOpen: (place: string) => void;
}

function Near({ sessionId, memoryId, onOpen }: NearProps): ReactNode {
  const [isShown, setShown] = useState(false);
  const { data } = useAnswer(
    'similarMemories',
    { session_id: sessionId, memory_id: memoryId, scope: 'user', limit: 5 },
    { isOn: isShown },
  );
  if (!isShown)
    return (
      <div>
        <button type="button" className="button" onClick={() => setShown(true)}>
          Show similar ones
        </button>
      </div>
    );
  return (
    <section>
      <h3>Similar</h3>
      {data === undefined && <RowsLoading rows={2} />}
      {data?.memories.length === 0 && <p className="hint">None is close.</p>}
      {data?.memories.map((memory) => (
        <Entry key={memory.id} entry={entryOf(memory)} onOpen={() => onOpen(placeOf(memory))} />
      ))}
    </section>
  );
}
