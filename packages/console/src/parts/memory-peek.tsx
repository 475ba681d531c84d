import { ProblemError } from 'longhand/client';
import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useCallback, useEffect } from 'react';
import { Link } from 'wouter';
import { addressOf, useFilters, useParam } from '../api/address.ts';
import { useAnswer, useCanWrite } from '../api/hooks.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Entry } from './entry.tsx';
import { ErrorBox } from './error-box.tsx';
import { type Fact, Facts } from './facts.tsx';
import { beginAct } from './memory-acts.ts';
import { entryOf, type FoundMemory, type Memory, placeOf, scoreOf, textOf } from './memory-fields.tsx';
import { counted } from './numbers.ts';
import { RowsLoading } from './page-loading.tsx';
import { PeekPanel } from './peek-panel.tsx';
import { ScoreBar, scoreInNumbers } from './score-bar.tsx';
import { exactTime, RelativeTime } from './times.tsx';
import { TrustBadge } from './trust-badge.tsx';
import { TypeIcon } from './type-icon.tsx';

export interface MemoryPeekProps {
  readonly place: string;
  /** With their scores, when a search found them. */
  readonly found: readonly FoundMemory[];
}

/** Opens a memory in the place of another. */
function useOpen(): (place: string | undefined) => void {
  const [, change] = useFilters();
  return useCallback((open) => change({ open, similar: undefined }), [change]);
}

/** One memory with all that is known of it, beside the list that it is from. */
export function MemoryPeek({ place, found: all }: MemoryPeekProps): ReactNode {
  const [session_id = '', memory_id = ''] = place.split('/');
  const { data, error: refused, refetch } = useAnswer('getMemory', { session_id, memory_id });
  const canWrite = useCanWrite();
  const open = useOpen();
  const found = all.find((one) => placeOf(one) === place);
  const memory = data ?? found;
  const score = found === undefined ? undefined : scoreOf(found);
  // A placeholder names a memory without its session.
  const isElsewhere = refused instanceof ProblemError && refused.status === 404;
  const { data: around, error: lost } = useAnswer(
    'references',
    { memory_id, depth: 1 },
    { isOn: isElsewhere },
  );
  const there = around?.nodes.find(({ id }) => id === memory_id);
  useEffect(() => {
    if (isElsewhere && there !== undefined && placeOf(there) !== place) open(placeOf(there));
  }, [isElsewhere, there, place, open]);
  const error = isElsewhere ? lost : refused;
  return (
    <PeekPanel
      title={
        <span className="row">
          {memory !== undefined && <TypeIcon type={memory.type} />}
          {memory?.type ?? 'Memory'}
        </span>
      }
      onClose={() => open(undefined)}
      foot={
        canWrite &&
        memory !== undefined && (
          <>
            <Button look="danger" onClick={() => beginAct('forget', memory)}>
              <Trash2 size={15} /> Forget…
            </Button>
            <Button onClick={() => beginAct('edit', memory)}>
              <Pencil size={15} /> Edit
            </Button>
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
          <MemoryFacts memory={memory} />
          <Related sessionId={session_id} memoryId={memory_id} />
          <Near sessionId={session_id} memoryId={memory_id} />
        </>
      )}
    </PeekPanel>
  );
}

function MemoryFacts({ memory }: { readonly memory: Memory }): ReactNode {
  const { id, session_id, timestamp, importance, tags, provenance, confirmed_at, updated_at } = memory;
  const { text: _, ...other } = memory.content;
  const { data } = useAnswer('previewFading', { session_id, include_lasting: true, limit: 1_000 });
  const fading = data?.memories.find((one) => one.id === id);
  const rows: readonly Fact[] = [
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
    ['Used', fading !== undefined && counted(fading.uses, 'time')],
    ['Fades', fading?.fades_at != null && <RelativeTime key="fades" time={fading.fades_at} />],
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
  return <Facts rows={rows} />;
}

interface OfMemoryProps {
  readonly sessionId: string;
  readonly memoryId: string;
}

/** What it refers to or replaces, and what refers to it or replaces it. */
function Related({ sessionId, memoryId }: OfMemoryProps): ReactNode {
  const open = useOpen();
  const { data } = useAnswer('references', { memory_id: memoryId, depth: 1 });
  const edges = data?.edges.filter(({ from, to }) => from === memoryId || to === memoryId) ?? [];
  if (edges.length === 0) return null;
  const byId = new Map(data?.nodes.map((node) => [node.id, node]));
  return (
    <section>
      <div className="spread">
        <h3>Related memories</h3>
        <Link href={addressOf(['sessions', sessionId], { tab: 'references', from: memoryId })}>
          As a graph
        </Link>
      </div>
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
            onOpen={() => open(placeOf(node))}
          />
        );
      })}
    </section>
  );
}

function Near({ sessionId, memoryId }: OfMemoryProps): ReactNode {
  const [similar, setSimilar] = useParam('similar');
  const open = useOpen();
  const isShown = similar !== undefined;
  const { data } = useAnswer(
    'similarMemories',
    { session_id: sessionId, memory_id: memoryId, scope: 'user', limit: 5 },
    { isOn: isShown },
  );
  if (!isShown)
    return (
      <div>
        <Button onClick={() => setSimilar('shown')}>Show similar ones</Button>
      </div>
    );
  return (
    <section>
      <h3>Similar</h3>
      {data === undefined && <RowsLoading rows={2} />}
      {data?.memories.length === 0 && <p className="hint">None is close.</p>}
      {data?.memories.map((memory) => (
        <Entry key={memory.id} entry={entryOf(memory)} onOpen={() => open(placeOf(memory))} />
      ))}
    </section>
  );
}
