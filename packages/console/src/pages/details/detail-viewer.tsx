import { useQuery } from '@tanstack/react-query';
import type { OutputOf } from 'longhand/client';
import { ArrowLeft, ArrowRight, Download, Ellipsis, EyeOff, Search, Trash2 } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf, useFilters } from '../../api/address.ts';
import { useAct, useAnswer, useCanWrite } from '../../api/hooks.ts';
import { scopeKey } from '../../api/session.ts';
import { Answered } from '../../parts/answered.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { useKeys } from '../../parts/keys.tsx';
import { Menu, MenuButton } from '../../parts/menu.tsx';
import { bytes, count, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading, RowsLoading } from '../../parts/page-loading.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Segments } from '../../parts/segments.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { failed, toast } from '../../parts/toast.tsx';
import { TrustBadge } from '../../parts/trust-badge.tsx';
import { JsonTree } from './json-tree.tsx';
import { useMentions, wholeDetail } from './read-detail.ts';

const LINES = 200;
/** Longer lines than these are shown in pages of bytes, without numbers. */
const LINE_BYTES = 4_000;
const LARGEST_TREE = 2_000_000;

type Detail = OutputOf<'retrieveDetail'>['detail'];

/** One value: its pages, what is found in it, and its tree when it is JSON. */
export function DetailViewer({ memoryKey }: { readonly memoryKey: string }): ReactNode {
  // The beginning tells what it is.
  const { data, error, refetch } = useAnswer('retrieveDetail', {
    memory_key: memoryKey,
    page: 1,
    page_size: 1_024,
  });
  if (error !== null && data === undefined)
    return (
      <>
        <PageHead title="Detail" about={<code>{memoryKey}</code>} />
        <ErrorBox error={error} what="The detail could not be read" onRetry={refetch} />
        <p className="back">
          <Link href="/details">All details</Link>
        </p>
      </>
    );
  if (data === undefined) return <PageLoading />;
  return <OpenDetail detail={data.detail} begin={data.content} />;
}

function OpenDetail({ detail, begin }: { readonly detail: Detail; readonly begin: string }): ReactNode {
  const { memory_key, summary, size_bytes, is_utf8 } = detail;
  const [params, change] = useFilters();
  const searched = params.get('q') ?? '';
  const isWrapped = params.get('wrap') !== 'off';
  const mayBeJson = is_utf8 && /^\s*[[{]/.test(begin) && size_bytes <= LARGEST_TREE;
  const isTree = mayBeJson && params.get('view') !== 'text';
  const [progress, setProgress] = useState('');
  const download = async (): Promise<void> => {
    try {
      const text = await wholeDetail(memory_key, undefined, (page, pages) =>
        setProgress(pages > 1 ? `${page} of ${pages}` : ''),
      );
      saveFile(`${memory_key}${mayBeJson ? '.json' : '.txt'}`, text, 'text/plain');
    } catch (error) {
      failed(error);
    }
    setProgress('');
  };
  return (
    <>
      <p className="back">
        <Link href="/details">
          <ArrowLeft size={14} /> All details
        </Link>
      </p>
      <PageHead title={summary || memory_key} about={<Facts detail={detail} />}>
        {is_utf8 && <CopyButton text={() => wholeDetail(memory_key)} label="Copy all of it" />}
        <Button disabled={!is_utf8 || progress !== ''} onClick={() => void download()}>
          <Download size={15} /> {progress === '' ? 'Download' : progress}
        </Button>
        <Actions detail={detail} />
      </PageHead>
      {!is_utf8 ? (
        <EmptyState
          text={`This is no text: ${bytes(size_bytes)} of other data. The command longhand show writes it to a file.`}
        />
      ) : (
        <>
          <div className="detail-bar">
            <SearchWithin />
            {mayBeJson && searched === '' && (
              <Segments
                label="How to show it"
                options={{ tree: 'Tree', text: 'Text' }}
                chosen={isTree ? 'tree' : 'text'}
                onChoose={(view) => change({ view })}
              />
            )}
            {(!isTree || searched !== '') && (
              <label className="check">
                <input
                  type="checkbox"
                  checked={isWrapped}
                  onChange={() => change({ wrap: isWrapped ? 'off' : undefined })}
                />
                Wrap lines
              </label>
            )}
          </div>
          {searched !== '' ? (
            <Found memoryKey={memory_key} searched={searched} isWrapped={isWrapped} />
          ) : isTree ? (
            <Tree detail={detail} />
          ) : (
            <Pages detail={detail} isWrapped={isWrapped} />
          )}
        </>
      )}
    </>
  );
}

function Facts({ detail }: { readonly detail: Detail }): ReactNode {
  const {
    memory_key,
    memory_type,
    size_bytes,
    lines,
    session_id,
    agent_id,
    created_at,
    expires_at,
    is_active,
  } = detail;
  const mentions = useMentions(detail);
  return (
    <>
      <span className="entry-facts">
        <code>{memory_key}</code>
        <span>{memory_type.replaceAll('_', ' ')}</span>
        <span>
          {bytes(size_bytes)}
          {detail.is_utf8 && `, ${counted(lines, 'line')}`}
        </span>
        <RelativeTime time={created_at} />
        <Link href={addressOf(['sessions', session_id])} dir="auto">
          {session_id}
        </Link>
        {agent_id !== null && <bdi>{agent_id}</bdi>}
        <TrustBadge trust={detail.provenance.trust} />
        {!is_active && <span className="warn">inactive</span>}
        {expires_at !== null && (
          <span>
            ends <RelativeTime time={expires_at} />
          </span>
        )}
      </span>
      {mentions !== undefined && (
        <span className="entry-facts">
          <span>
            appears as <code>[MemoryRef: {memory_key} …]</code> in{' '}
            <Link href={addressOf(['chat', session_id])}>{counted(mentions, 'message')}</Link>
          </span>
        </span>
      )}
    </>
  );
}

function Actions({ detail: { memory_key, is_active } }: { readonly detail: Detail }): ReactNode {
  const [isDeleting, setDeleting] = useState(false);
  const update = useAct('updateDetail');
  if (!useCanWrite()) return null;
  return (
    <>
      <Menu label="More actions" className="button" trigger={<Ellipsis size={16} />}>
        <MenuButton
          icon={EyeOff}
          onChoose={() => update.mutate({ memory_key, is_active: !is_active }, { onError: failed })}
        >
          {is_active ? 'Leave out of search and prompts' : 'Use in search and prompts'}
        </MenuButton>
        <MenuButton icon={Trash2} isDanger onChoose={() => setDeleting(true)}>
          Delete…
        </MenuButton>
      </Menu>
      {isDeleting && <DeleteDetail memoryKey={memory_key} onClose={() => setDeleting(false)} />}
    </>
  );
}

interface DeleteDetailProps {
  readonly memoryKey: string;
  readonly onClose: () => void;
}

export function DeleteDetail({ memoryKey, onClose }: DeleteDetailProps): ReactNode {
  const [, navigate] = useLocation();
  const remove = useAct('deleteDetail');
  return (
    <Confirm
      question="Delete this detail?"
      action="Delete"
      onClose={onClose}
      onConfirm={() => {
        // Its page is left first: there is nothing to show again.
        navigate('/details');
        return remove.mutateAsync({ memory_key: memoryKey }).then(() => toast('Detail deleted.'), failed);
      }}
    >
      <p>
        Placeholders of <code>{memoryKey}</code> then lead nowhere. This cannot be taken back.
      </p>
    </Confirm>
  );
}

function SearchWithin(): ReactNode {
  const [params, change] = useFilters();
  const searched = params.get('q') ?? '';
  const search = (q: string): void => change({ q, line: undefined, page: undefined });
  const [text, setText] = useState(searched);
  useEffect(() => setText(searched), [searched]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    search(text.trim() === '' ? '' : text);
  };
  return (
    <search className="search-within">
      <form onSubmit={submit}>
        <Search size={15} />
        <input
          type="search"
          className="field"
          aria-label="Search in this detail"
          placeholder="Search in it"
          dir="auto"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            if (event.target.value === '') search('');
          }}
        />
      </form>
    </search>
  );
}

interface Line {
  /** Absent where pages are cut by bytes. */
  readonly line?: number;
  readonly text: string;
}

function Lines({
  lines,
  isWrapped,
  marked = '',
  onLine,
}: {
  readonly lines: readonly Line[];
  readonly isWrapped: boolean;
  readonly marked?: string;
  readonly onLine?: (line: number) => void;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
    <section className={isWrapped ? 'lines' : 'lines is-wide'} tabIndex={0} aria-label="The text">
      {lines.map(({ line, text }, at) => {
        const isApart = at > 0 && line !== undefined && line > lines[at - 1]!.line! + 1;
        return (
          <div key={line ?? at} className={isApart ? 'is-apart' : undefined}>
            {line !== undefined &&
              (onLine === undefined ? (
                <span className="line-number">{line}</span>
              ) : (
                <button
                  type="button"
                  className="line-number"
                  title="Show it in its place"
                  onClick={() => onLine(line)}
                >
                  {line}
                </button>
              ))}
            <code dir="auto">{marked === '' ? text : <Marked text={text} words={marked} />}</code>
          </div>
        );
      })}
    </section>
  );
}

function Marked({ text, words }: { readonly text: string; readonly words: string }): ReactNode {
  const parts: ReactNode[] = [];
  const [low, sought] = [text.toLowerCase(), words.toLowerCase()];
  let end = 0;
  // A letter whose lower case is longer would shift all places after it.
  for (let at = low.indexOf(sought); at >= 0 && low.length === text.length; at = low.indexOf(sought, end)) {
    parts.push(text.slice(end, at), <mark key={at}>{text.slice(at, at + words.length)}</mark>);
    end = at + words.length;
  }
  return [...parts, text.slice(end)];
}

function Found({
  memoryKey,
  searched,
  isWrapped,
}: {
  readonly memoryKey: string;
  readonly searched: string;
  readonly isWrapped: boolean;
}): ReactNode {
  const [, change] = useFilters();
  const input = { memory_key: memoryKey, search: searched, limit: 200 };
  const asked = useAnswer('retrieveDetail', input, { keepsShowing: true });
  return (
    <Answered asked={asked} what="It could not be searched">
      {({ matches = [], total_matches = 0, total_lines }) => (
        <>
          <p className="hint found" role="status">
            {total_matches === 0
              ? 'No line holds this.'
              : `${counted(total_matches, 'line')} of ${count(total_lines)} hold this` +
                (matches.length < total_matches ? `, the first ${matches.length} of them:` : ':')}
          </p>
          {matches.length > 0 && (
            <Lines
              lines={matches}
              isWrapped={isWrapped}
              marked={searched}
              onLine={(line) =>
                change({
                  q: undefined,
                  view: 'text',
                  page: String(Math.ceil(line / LINES)),
                  line: String(line),
                })
              }
            />
          )}
        </>
      )}
    </Answered>
  );
}

function Pages({ detail, isWrapped }: { readonly detail: Detail; readonly isWrapped: boolean }): ReactNode {
  const [params, change] = useFilters();
  const { memory_key, lines: total, size_bytes } = detail;
  const hasNumbers = size_bytes / Math.max(1, total) < LINE_BYTES;
  const page = Math.max(1, Number(params.get('page')) || 1);
  const first = (page - 1) * LINES + 1;
  const { data, error, refetch } = useAnswer(
    'retrieveDetail',
    hasNumbers ? { memory_key, first_line: first, last_line: first + LINES - 1 } : { memory_key, page },
    { keepsShowing: true },
  );
  const pages = hasNumbers ? Math.max(1, Math.ceil(total / LINES)) : (data?.total_pages ?? 1);
  const go = (to: number) => () => change({ page: to === 1 ? undefined : String(to), line: undefined });
  useKeys({ n: page < pages ? go(page + 1) : undefined, p: page > 1 ? go(page - 1) : undefined });
  const wanted = params.get('line');
  useEffect(() => {
    if (wanted === null || data === undefined) return;
    const numbers = [...document.querySelectorAll<HTMLElement>('.line-number')];
    numbers
      .find(({ textContent }) => textContent === wanted)
      ?.parentElement?.scrollIntoView({ block: 'center' });
  }, [wanted, data]);
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="The page could not be read" onRetry={refetch} />;
  if (data === undefined) return <RowsLoading />;
  const texts = data.content.replace(/\n$/, '').split('\n');
  const begin = data.lines?.[0] ?? first;
  return (
    <>
      <Lines
        lines={texts.map((text, at) => (hasNumbers ? { line: begin + at, text } : { text }))}
        isWrapped={isWrapped}
      />
      <nav className="pager" aria-label="Pages of the detail">
        <Button disabled={page <= 1} onClick={go(page - 1)}>
          <ArrowLeft size={15} /> Before
        </Button>
        <span>
          Page {count(page)} of {count(pages)}
          {hasNumbers && `, lines ${count(begin)} to ${count(begin + texts.length - 1)} of ${count(total)}`}
        </span>
        <span className="row">
          <CopyButton text={data.content} label="Copy this page" />
          <Button disabled={page >= pages} onClick={go(page + 1)}>
            Next <ArrowRight size={15} />
          </Button>
        </span>
      </nav>
    </>
  );
}

function Tree({ detail }: { readonly detail: Detail }): ReactNode {
  const asked = useQuery({
    queryKey: ['whole', detail.memory_key, scopeKey()],
    queryFn: async ({ signal }) => {
      const text = await wholeDetail(detail.memory_key, signal);
      try {
        return { value: JSON.parse(text) as unknown };
      } catch {
        return {};
      }
    },
  });
  return (
    <Answered asked={asked} what="The value could not be read">
      {(data) =>
        'value' in data ? (
          <div className="json">
            <JsonTree value={data.value} />
          </div>
        ) : (
          // It only began like JSON.
          <Pages detail={detail} isWrapped />
        )
      }
    </Answered>
  );
}
