import { Button } from '../../parts/button.tsx';
import './search.css';
import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useFilters } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useCanWrite, useReadingOn } from '../../api/hooks.ts';
import { readStored, writeStored } from '../../api/stored.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Floating } from '../../parts/floating.tsx';
import { useKeys, useRowKeys } from '../../parts/keys.tsx';
import { beginAct } from '../../parts/memory-acts.ts';
import { entryOf, type FoundMemory, placeOf, scoreOf } from '../../parts/memory-fields.tsx';
import { MemoryMenu } from '../../parts/memory-menu.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Outdated } from '../../parts/outdated.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { ScoreBar } from '../../parts/score-bar.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Facets } from './facets.tsx';
import { LayerChoice, LayerHits } from './layers.tsx';
import {
  FILTERS,
  type FilterName,
  fits,
  inputOf,
  isNarrowedHere,
  queryOf,
  strongOf,
  takeOperators,
} from './query.ts';

/** So many rows fill a window: with fewer, more are read. */
const WINDOWFUL = 20;

/** One field over all layers, with what narrows the memories on the left. */
export function Search(): ReactNode {
  const [params, change] = useFilters();
  const query = queryOf(params);
  const { text, sort, layer } = query;
  const [now] = useState(() => new Date().toISOString());
  const asked = useAnswerPages('search', inputOf(query, now), ({ memories }) => memories, {
    keepsShowing: true,
  });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = asked;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isNearShown, setNearShown] = useState(false);
  const canWrite = useCanWrite();

  const read = data?.items ?? [];
  const fitting = read.filter((memory) => fits(memory, query));
  const isReading = useReadingOn(asked, fitting.length < WINDOWFUL && isNarrowedHere(query));
  const strong = strongOf(fitting, query);
  const shown = layer !== undefined ? [] : isNearShown ? fitting : strong;
  const chosen = fitting.filter(({ id }) => selected.has(id));

  const toggle = ({ id }: FoundMemory): void =>
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const open = (memory: FoundMemory): void => change({ open: placeOf(memory), similar: undefined });
  const forget = (memory?: FoundMemory): void =>
    beginAct('forget', ...(chosen.length > 0 || memory === undefined ? chosen : [memory]));
  const allowed = <Deed,>(deed: Deed): Deed | undefined => (canWrite ? deed : undefined);
  const [current, keyHelp] = useRowKeys(shown, {
    Enter: ['open', open],
    e: ['edit', allowed((memory) => beginAct('edit', memory))],
    t: ['tag', allowed((memory) => beginAct('tag', ...(chosen.length > 0 ? chosen : [memory])))],
    x: ['select', allowed(toggle)],
    Delete: ['forget…', allowed(forget)],
  });
  const loadMore = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined;

  return (
    <>
      <PageHead title="Search" />
      <SearchField />
      <div className="search-columns">
        {layer === undefined ? (
          <Facets query={query} now={now} />
        ) : (
          <p className="hint">Types, tags, times and the other filters narrow memories only.</p>
        )}
        <div>
          <LayerChoice query={query} />
          {layer !== undefined && <LayerHits query={query} />}
          {error !== null && <ErrorBox error={error} what="The search failed" onRetry={refetch} />}
          {layer === undefined && data === undefined && error === null && <RowsLoading />}
          {layer === undefined && data !== undefined && (
            <div className="search-head">
              <p className="hint" role="status">
                {text === '' && !isNarrowedHere(query)
                  ? 'The newest'
                  : counted(shown.length, 'memory', 'memories')}
                {isNarrowedHere(query) && ` of ${hasNextPage ? 'the first' : 'all'} ${count(read.length)}`}
                {isReading ? ' · reading on…' : hasNextPage && text !== '' && ', and more'}
              </p>
              <Outdated asked={asked} />
              <div className="row">
                {chosen.length > 0 && (
                  <>
                    <b>{chosen.length} selected</b>
                    <Button onClick={() => beginAct('tag', ...chosen)}>Tag…</Button>
                    <Button look="danger" onClick={() => forget()}>
                      Forget…
                    </Button>
                    <Button onClick={() => setSelected(new Set())}>None</Button>
                  </>
                )}
                {text !== '' && chosen.length === 0 && (
                  <Segments
                    label="Order"
                    options={{ relevance: 'Relevance', time: 'Newest' }}
                    chosen={sort}
                    onChoose={(order) => change({ sort: order })}
                  />
                )}
              </div>
            </div>
          )}
          {layer === undefined && data !== undefined && fitting.length === 0 && !isReading && (
            <NothingFound />
          )}
          {shown.length > 0 && (
            <EntryList
              label="Memories that were found"
              items={shown}
              keyOf={placeOf}
              current={current}
              onEnd={loadMore}
              render={(memory, isCurrent) => (
                <Row
                  memory={memory}
                  isCurrent={isCurrent}
                  isSelected={selected.has(memory.id)}
                  onOpen={open}
                  onToggle={allowed(toggle)}
                />
              )}
            />
          )}
          {layer === undefined && shown.length < fitting.length && (
            <Button look="link" className="near-button" onClick={() => setNearShown(true)}>
              {counted(fitting.length - strong.length, 'more was', 'more were')} near, and hold less of what
              was asked: show
            </Button>
          )}
        </div>
      </div>
      <Floating found={read} onDone={() => setSelected(new Set())} />
      {keyHelp}
    </>
  );
}

interface RowProps {
  readonly memory: FoundMemory;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (memory: FoundMemory) => void;
  readonly onToggle: ((memory: FoundMemory) => void) | undefined;
}

function Row({ memory, isCurrent, isSelected, onOpen, onToggle }: RowProps): ReactNode {
  const score = scoreOf(memory);
  const words = memory.explanation?.matched_words ?? [];
  return (
    <Entry
      entry={entryOf(memory, words)}
      isCurrent={isCurrent}
      onOpen={() => onOpen(memory)}
      before={
        onToggle && (
          <input type="checkbox" aria-label="Select" checked={isSelected} onChange={() => onToggle(memory)} />
        )
      }
      aside={
        <>
          {score && <ScoreBar score={score} />}
          <MemoryMenu memory={memory} />
        </>
      }
    />
  );
}

const LAST_SEARCHES = 'longhand-searches';

const lastSearches = (): string[] => readStored('localStorage', LAST_SEARCHES, []);

function SearchField(): ReactNode {
  const [params, change] = useFilters();
  const query = queryOf(params);
  const [typed, setTyped] = useState(query.text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(query.text), [query.text]);
  useKeys({ '/': () => field.current?.focus() });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { text, filters } = takeOperators(typed);
    const more = [...filters].map(([name, values]) => [name, [...params.getAll(name), ...values]] as const);
    change({ q: text, ...Object.fromEntries(more) });
    const searches = [text, ...lastSearches().filter((one) => one !== text)].filter((one) => one !== '');
    writeStored('localStorage', LAST_SEARCHES, searches.slice(0, 5));
  };
  const chips = FILTERS.flatMap((name) => params.getAll(name).map((value) => [name, value] as const));
  return (
    <form className="search-form" onSubmit={submit}>
      <input
        ref={field}
        type="search"
        className="field search-field"
        aria-label="What to search for"
        placeholder="What do you want to find?   tag:security  layer:notes  before:2026-10-01"
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: a person comes to this page to type
        autoFocus
        autoComplete="off"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (target.value === '') change({ q: undefined });
        }}
      />
      <Button type="submit" look="main">
        Search
      </Button>
      {chips.length > 0 && (
        <div className="row chips">
          {chips.map(([name, value]) => (
            <button
              key={`${name}:${value}`}
              type="button"
              className="chip"
              aria-label={`Drop ${name}:${value}`}
              onClick={() => change({ [name]: params.getAll(name).filter((one) => one !== value) })}
            >
              <span dir="auto">
                {name}:{value}
              </span>
              <X size={12} />
            </button>
          ))}
        </div>
      )}
      {query.text === '' && chips.length === 0 && <Suggestions />}
    </form>
  );
}

function Suggestions(): ReactNode {
  const [, change] = useFilters();
  const { data } = useAnswer('analytics', {});
  const searches = lastSearches();
  return (
    <div className="row chips">
      {searches.map((text) => (
        <button key={text} type="button" className="chip" onClick={() => change({ q: text })}>
          <span dir="auto">{text}</span>
        </button>
      ))}
      {data?.topics.slice(0, 8).map(({ tag, total }) => (
        <button key={tag} type="button" className="chip" onClick={() => change({ tag })}>
          <span dir="auto">tag:{tag}</span> <small>{total}</small>
        </button>
      ))}
    </div>
  );
}

function NothingFound(): ReactNode {
  const [params, change] = useFilters();
  const narrowest = FILTERS.toReversed().find((name: FilterName) => params.has(name));
  if (narrowest === undefined)
    return (
      <EmptyState text={params.has('q') ? 'Nothing holds these words.' : 'Nothing remembered yet.'}>
        {params.has('q') && <Button onClick={() => change({ q: undefined })}>Show the newest</Button>}
      </EmptyState>
    );
  return (
    <EmptyState text="Nothing with these filters.">
      <Button onClick={() => change({ [narrowest]: undefined })}>
        Drop {narrowest}: {params.getAll(narrowest).join(', ')}
      </Button>
    </EmptyState>
  );
}
