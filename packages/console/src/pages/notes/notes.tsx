import { Button } from '../../parts/button.tsx';
import './notes.css';
import { type OutputOf, ProblemError } from 'longhand/client';
import { History } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { addressOf, useNameInPath, useParam } from '../../api/address.ts';
import { useAct, useAnswer, useCanWrite } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';
import { Segments } from '../../parts/segments.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { toast } from '../../parts/toast.tsx';
import { TrustBadge } from '../../parts/trust-badge.tsx';
import { ConflictBar } from './conflict-bar.tsx';
import { useDraft } from './draft.ts';
import { Editor } from './editor.tsx';
import { sectionsIn } from './merge.ts';
import { Versions } from './versions.tsx';

/** What an agent keeps about the user, to read, to edit, and to bring back. */
export function Notes(): ReactNode {
  const agent = useNameInPath();
  const { data, error, refetch } = useAnswer('listAgents', {});
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="The agents could not be read" onRetry={refetch} />;
  if (data === undefined) return <PageLoading />;
  const names = data.agents.map(({ id }) => id);
  if (agent === undefined && names[0] !== undefined)
    return <Redirect to={addressOf(['notes', names[0]])} replace />;
  if (agent === undefined)
    return (
      <>
        <PageHead title="Notes" />
        <EmptyState text="Notes belong to an agent, and there is none yet.">
          <Link className="button" href="/agents">
            To the agents
          </Link>
        </EmptyState>
      </>
    );
  return <NotesOf key={agent} agent={agent} agents={names} />;
}

function NotesOf({
  agent,
  agents,
}: {
  readonly agent: string;
  readonly agents: readonly string[];
}): ReactNode {
  const { data, error, refetch } = useAnswer('readNotes', { agent_id: agent });
  if (error !== null && data === undefined)
    return (
      <>
        <PageHead title="Notes" />
        <ErrorBox error={error} what={`The notes of ${agent} could not be read`} onRetry={refetch} />
      </>
    );
  if (data === undefined) return <PageLoading />;
  return <OpenNotes agent={agent} agents={agents} saved={data} onReload={refetch} />;
}

interface OpenNotesProps {
  readonly agent: string;
  readonly agents: readonly string[];
  readonly saved: OutputOf<'readNotes'>;
  readonly onReload: () => Promise<unknown>;
}

const VIEWS = { write: 'Write', read: 'Read', both: 'Both' } as const;

function OpenNotes({ agent, agents, saved, onReload }: OpenNotesProps): ReactNode {
  const [draft, setDraft] = useDraft(agent, saved);
  const [view = 'write', setView] = useParam('view');
  const [versions, setVersions] = useParam('versions');
  const [goTo, setGoTo] = useState<{ readonly line: number }>();
  const [error, setError] = useState<unknown>();
  const canWrite = useCanWrite();
  const write = useAct('writeNotes');
  const isChanged = draft.text !== draft.base;
  const isBehind = saved.version > draft.version;
  // What is not edited here follows what others write.
  useEffect(() => {
    if (isBehind && !isChanged) setDraft({ version: saved.version, base: saved.text, text: saved.text });
  }, [isBehind, isChanged, saved, setDraft]);
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);

  const save = async (): Promise<void> => {
    if (!isChanged || isBehind || !canWrite || write.isPending) return;
    setError(undefined);
    const { text, version } = draft;
    try {
      const made = await write.mutateAsync({ agent_id: agent, text, expected_version: version });
      setDraft({ version: made.version, base: made.text, text: made.text });
      toast('Notes saved.');
    } catch (failure) {
      // Another writer was faster: the bar above tells, as soon as their text is here.
      if (failure instanceof ProblemError && failure.status === 409) await onReload();
      else setError(failure);
    }
  };
  const sections = useMemo(() => sectionsIn(draft.text).filter(({ level }) => level > 0), [draft.text]);
  return (
    <>
      <PageHead title="Notes">
        <Button onClick={() => setVersions(versions === undefined ? 'all' : undefined)}>
          <History size={15} /> Versions
        </Button>
        {canWrite && (
          <Button
            look="main"
            disabled={!isChanged || isBehind || write.isPending}
            onClick={() => void save()}
          >
            Save
          </Button>
        )}
      </PageHead>
      <div className="notes">
        <nav className="notes-side" aria-label="Agents and sections">
          <h2>Agents</h2>
          <ul className="notes-agents">
            {agents.map((name) => (
              <li key={name}>
                <Link
                  href={addressOf(['notes', name])}
                  aria-current={name === agent ? 'page' : undefined}
                  dir="auto"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
          {sections.length > 0 && <h2>Sections</h2>}
          <ol className="outline">
            {sections.map(({ title, level, line }) => (
              <li key={line} style={{ paddingInlineStart: `${(level - 1) * 12}px` }}>
                <button
                  type="button"
                  dir="auto"
                  onClick={() => (view === 'read' ? scrollToHeading(title) : setGoTo({ line }))}
                >
                  {title || 'Without a name'}
                </button>
              </li>
            ))}
          </ol>
        </nav>
        <div className="notes-main">
          {isBehind && isChanged && (
            <ConflictBar
              agent={agent}
              draft={draft}
              theirs={saved}
              onDecide={(text) => setDraft({ version: saved.version, base: saved.text, text })}
            />
          )}
          {error !== undefined && (
            <ErrorBox
              error={error}
              what="The notes were not saved"
              kept="Your text is kept here."
              onRetry={save}
            />
          )}
          <div className="card notes-sheet">
            <div className="notes-bar">
              <Segments label="How to show the notes" options={VIEWS} chosen={view} onChoose={setView} />
              <span className="notes-state" role="status">
                {isChanged ? (
                  <>
                    Unsaved changes{' '}
                    <Button
                      look="link"
                      onClick={() => setDraft({ version: saved.version, base: saved.text, text: saved.text })}
                    >
                      Discard
                    </Button>
                  </>
                ) : (
                  saved.updated_at !== null && (
                    <>
                      version {saved.version}, <RelativeTime time={saved.updated_at} />
                    </>
                  )
                )}
              </span>
            </div>
            <div className={`notes-views is-${view}`}>
              {view !== 'read' && (
                <Editor
                  text={draft.text}
                  isReadOnly={!canWrite}
                  goTo={goTo}
                  onSave={() => void save()}
                  onChange={(text) => setDraft({ ...draft, text })}
                />
              )}
              {view !== 'write' && (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
                <section className="notes-read" aria-label="As it reads" tabIndex={0}>
                  {draft.text.trim() === '' ? (
                    <EmptyState text="No notes yet. The agent keeps them with manage_long_term_memory; you can begin." />
                  ) : (
                    <Markdown text={draft.text} />
                  )}
                </section>
              )}
            </div>
            <div className="notes-foot">
              <span>about {counted(estimatedTokens(draft.text), 'token')}</span>
              <span>{counted(draft.text.length, 'character')}</span>
              <TrustBadge trust={saved.trust} />
              {!canWrite && <span>This key may only read.</span>}
            </div>
          </div>
        </div>
      </div>
      {versions !== undefined && (
        <Versions
          agent={agent}
          current={saved}
          chosen={versions === 'all' ? undefined : Number(versions)}
          onChoose={(version) => setVersions(version === undefined ? 'all' : String(version))}
          isChanged={isChanged}
          onClose={() => setVersions(undefined)}
        />
      )}
    </>
  );
}

/** Four bytes a token, which is about right for most languages: the server counts exactly when it makes a prompt. */
function estimatedTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

function scrollToHeading(title: string): void {
  const headings = [...document.querySelectorAll<HTMLElement>('.notes-read :is(h2, h3, h4, h5, h6)')];
  headings
    .find(({ textContent }) => textContent?.trim() === title.trim())
    ?.scrollIntoView({ block: 'start' });
}
