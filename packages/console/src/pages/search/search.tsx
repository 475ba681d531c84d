import './search.css';
import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { addressOf, useFilters } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useCanWrite, useReadingOn } from '../../api/hooks.ts';
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
import { FILTERS, type FilterName, fits, inputOf, isNarrowedHere, queryOf, takeOperators } from './query.ts';

/** Below this share of the asked words, a hit counts as near. */
const NEAR_MATCH = 0.25;

/** So many rows fill a window: with fewer, more are read. */
const WINDOWFUL = 20;

/** One field over all memories and details, with what narrows it on the left. */
export function Search(): ReactNode {
  const [params, change] = useFilters();
  const query = queryOf(params);
  const { text, sort } = query;
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
  const isNear = ({ match = 1 }: FoundMemory): boolean =>
    text !== '' && sort === 'relevance' && match < NEAR_MATCH;
  const strong = fitting.filter((memory) => !isNear(memory));
  // When all are weak, they are what there is.
  const shown = isNearShown || strong.length === 0 ? fitting : strong;
  const chosen = fitting.filter(({ id }) => selected.has(id));
  const details = data?.pages[0]?.details ?? [];

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
        <Facets query={query} now={now} />
        <div>
          {error !== null && <ErrorBox error={error} what="The search failed" onRetry={refetch} />}
          {data === undefined && error === null && <RowsLoading />}
          {data !== undefined && (
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
                    <button type="button" className="button" onClick={() => beginAct('tag', ...chosen)}>
                      Tag…
                    </button>
                    <button type="button" className="button is-danger" onClick={() => forget()}>
                      Forget…
                    </button>
                    <button type="button" className="button" onClick={() => setSelected(new Set())}>
                      None
                    </button>
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
          {data !== undefined && fitting.length === 0 && details.length === 0 && !isReading && (
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
          {!isNearShown && strong.length > 0 && strong.length < fitting.length && (
            <button type="button" className="link-button near-button" onClick={() => setNearShown(true)}>
              {counted(fitting.length - strong.length, 'more was', 'more were')} near, and hold less of what
              was asked: show
            </button>
          )}
          {details.length > 0 && (
            <section className="found-details">
              <h2>In details</h2>
              {details.map(({ memory_key, summary, lines, relevance }) => (
                <Link key={memory_key} className="found-detail" href={addressOf(['details', memory_key])}>
                  <span className="text" dir="auto">
                    {summary}
                  </span>
                  <span className="hint">
                    {memory_key}
                    {lines !== undefined && ` · lines ${lines[0]} to ${lines[1]}`} · {relevance.toFixed(2)}
                  </span>
                </Link>
              ))}
            </section>
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

function lastSearches(): string[] {
  try {
    return (JSON.parse(localStorage.getItem(LAST_SEARCHES) ?? '[]') as string[]).slice(0, 5);
  } catch {
    return [];
  }
}

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
    try {
      const searches = [text, ...lastSearches().filter((one) => one !== text)].filter((one) => one !== '');
      localStorage.setItem(LAST_SEARCHES, JSON.stringify(searches.slice(0, 5)));
    } catch {
      // Without storage nothing is suggested.
    }
  };
  const chips = FILTERS.flatMap((name) => params.getAll(name).map((value) => [name, value] as const));
  return (
    <form className="search-form" onSubmit={submit}>
      <input
        ref={field}
        type="search"
        className="field search-field"
        aria-label="What to search for"
        placeholder="What do you want to find?   tag:security  type:decision  before:2026-10-01"
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
      <button type="submit" className="button is-main">
        Search
      </button>
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
              <X size={12} aria-hidden />
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
        {params.has('q') && (
          <button type="button" className="button" onClick={() => change({ q: undefined })}>
            Show the newest
          </button>
        )}
      </EmptyState>
    );
  return (
    <EmptyState text="Nothing with these filters.">
      <button type="button" className="button" onClick={() => change({ [narrowest]: undefined })}>
        Drop {narrowest}: {params.getAll(narrowest).join(', ')}
      </button>
    </EmptyState>
  );
}
