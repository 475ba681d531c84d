import './search.css';
import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { addressOf, useFilters } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useCanWrite } from '../../api/hooks.ts';
import { EditMemory } from '../../parts/edit-memory.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { ForgetDialog } from '../../parts/forget-dialog.tsx';
import { KeyHelp, useKeys } from '../../parts/keys.tsx';
import { entryOf, type FoundMemory, scoreOf } from '../../parts/memory-fields.tsx';
import { MemoryPeek, placeOf } from '../../parts/memory-peek.tsx';
import { counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { ScoreBar } from '../../parts/score-bar.tsx';
import { Facets } from './facets.tsx';
import { FILTERS, type FilterName, inputOf, queryOf, takeOperators } from './query.ts';
import { TagDialog } from './tag-dialog.tsx';

/** Below this share of the asked words, a hit counts as near. */
const NEAR_MATCH = 0.25;

const KEYS = {
  '/': 'to the search field',
  'j k': 'next, previous',
  Enter: 'open',
  e: 'edit',
  x: 'select',
  Delete: 'forget…',
  Esc: 'close the panel',
};

/** One field over all memories and details, with what narrows it on the left. */
export function Search(): ReactNode {
  const [params, change] = useFilters();
  const query = queryOf(params);
  const { agent, trust, text, sort } = query;
  const [now] = useState(() => new Date().toISOString());
  const asked = useAnswerPages('search', inputOf(query, now), ({ memories }) => memories, {
    keepsShowing: true,
  });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = asked;
  const [current, setCurrent] = useState(-1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<FoundMemory>();
  const [going, setGoing] = useState<readonly string[]>();
  const [isTagging, setTagging] = useState(false);
  const [isHelpShown, setHelpShown] = useState(false);
  const [isNearShown, setNearShown] = useState(false);
  const canWrite = useCanWrite();
  const opened = params.get('open') ?? undefined;
  const open = useCallback((place: string | undefined) => change({ open: place }), [change]);

  const fitting = (data?.items ?? []).filter(
    ({ provenance }) =>
      (agent === undefined || provenance.agent_id === agent) &&
      (trust === undefined || provenance.trust === trust),
  );
  const isNear = ({ match = 1 }: FoundMemory): boolean =>
    text !== '' && sort === 'relevance' && match < NEAR_MATCH;
  const strong = fitting.filter((memory) => !isNear(memory));
  // When all are weak, they are what there is.
  const shown = isNearShown || strong.length === 0 ? fitting : strong;
  const details = data?.pages[0]?.details ?? [];

  const at = shown[current];
  const toggle = (id: string): void =>
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const move = (by: number): void => setCurrent((now) => Math.max(0, Math.min(shown.length - 1, now + by)));
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: at && (() => open(placeOf(at))),
    e: at && canWrite ? () => setEdited(at) : undefined,
    x: at && canWrite ? () => toggle(at.id) : undefined,
    Delete:
      canWrite && (selected.size > 0 || at)
        ? () => setGoing(selected.size > 0 ? [...selected] : [at!.id])
        : undefined,
    '?': () => setHelpShown(true),
  });
  const byPlace = data?.items.find((memory) => placeOf(memory) === opened);
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
                {text === '' ? 'The newest' : counted(shown.length, 'memory', 'memories')}
                {hasNextPage && text !== '' ? ', and more' : ''}
              </p>
              <div className="row">
                {selected.size > 0 && (
                  <>
                    <b>{selected.size} selected</b>
                    <button type="button" className="button" onClick={() => setTagging(true)}>
                      Tag…
                    </button>
                    <button
                      type="button"
                      className="button is-danger"
                      onClick={() => setGoing([...selected])}
                    >
                      Forget…
                    </button>
                    <button type="button" className="button" onClick={() => setSelected(new Set())}>
                      None
                    </button>
                  </>
                )}
                {text !== '' && selected.size === 0 && (
                  <fieldset className="segments" aria-label="Order">
                    <button
                      type="button"
                      aria-pressed={sort === 'relevance'}
                      onClick={() => change({ sort: undefined })}
                    >
                      Relevance
                    </button>
                    <button
                      type="button"
                      aria-pressed={sort === 'time'}
                      onClick={() => change({ sort: 'time' })}
                    >
                      Newest
                    </button>
                  </fieldset>
                )}
              </div>
            </div>
          )}
          {data !== undefined && fitting.length === 0 && details.length === 0 && <NothingFound />}
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
                  onToggle={canWrite ? toggle : undefined}
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
      {opened !== undefined && (
        <MemoryPeek
          key={opened}
          place={opened}
          found={byPlace}
          onOpen={open}
          onClose={() => open(undefined)}
          onEdit={() => setEdited(byPlace)}
          onForget={() => setGoing([opened.split('/')[1] ?? ''])}
        />
      )}
      {edited !== undefined && <EditMemory memory={edited} onClose={() => setEdited(undefined)} />}
      {isTagging && (
        <TagDialog
          memories={fitting.filter(({ id }) => selected.has(id))}
          onClose={() => setTagging(false)}
          onDone={() => {
            setTagging(false);
            setSelected(new Set());
          }}
        />
      )}
      {going !== undefined && (
        <ForgetDialog
          ids={going}
          onClose={() => setGoing(undefined)}
          onForgotten={() => {
            setGoing(undefined);
            setSelected(new Set());
            open(undefined);
          }}
        />
      )}
      {isHelpShown && <KeyHelp keys={KEYS} onClose={() => setHelpShown(false)} />}
    </>
  );
}

interface RowProps {
  readonly memory: FoundMemory;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (place: string) => void;
  readonly onToggle: ((id: string) => void) | undefined;
}

function Row({ memory, isCurrent, isSelected, onOpen, onToggle }: RowProps): ReactNode {
  const score = scoreOf(memory);
  const words = memory.explanation?.matched_words ?? [];
  return (
    <Entry
      entry={entryOf(memory, words)}
      isCurrent={isCurrent}
      onOpen={() => onOpen(placeOf(memory))}
      before={
        onToggle && (
          <input
            type="checkbox"
            aria-label="Select"
            checked={isSelected}
            onChange={() => onToggle(memory.id)}
          />
        )
      }
      aside={score && <ScoreBar score={score} />}
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
