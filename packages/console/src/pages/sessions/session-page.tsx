import { ProblemError } from 'longhand/client';
import { Archive, Download, Ellipsis, Minimize2, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAct, useAnswer, useCall, useCanWrite } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Floating } from '../../parts/floating.tsx';
import { ForgetDialog } from '../../parts/forget-dialog.tsx';
import { Menu, MenuButton } from '../../parts/menu.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { failed, toast } from '../../parts/toast.tsx';
import { Decay } from './decay.tsx';
import { References } from './references.tsx';
import { SessionMemories } from './session-memories.tsx';
import { Transcript } from './transcript.tsx';

/** One session: what was said, what was kept of it, and what becomes of that. */
export function SessionPage({ sessionId }: { readonly sessionId: string }): ReactNode {
  const { data: session, error, refetch } = useAnswer('getChatSession', { session_id: sessionId });
  const { data: stats } = useAnswer(
    'getSessionStats',
    { session_id: sessionId },
    { isOn: session !== undefined },
  );
  if (error instanceof ProblemError && (error.status === 404 || error.status === 410))
    return (
      <>
        <PageHead title="There is no such session" />
        <EmptyState text={error.status === 410 ? 'It was deleted or forgotten.' : error.message}>
          <Link className="button" href="/sessions">
            To all sessions
          </Link>
        </EmptyState>
      </>
    );
  if (session === undefined)
    return error === null ? (
      <PageLoading />
    ) : (
      <ErrorBox error={error} what="The session could not be read" onRetry={refetch} />
    );
  return (
    <>
      <PageHead
        title={sessionId}
        about={
          <>
            <Link href="/sessions">Sessions</Link>
            {session.agents.length > 0 && <> · {session.agents.join(', ')}</>} ·{' '}
            <RelativeTime time={session.last_activity_at} />
            {stats !== undefined && (
              <>
                {' '}
                · {counted(stats.total_entries, 'memory', 'memories')} · {bytes(stats.total_size_bytes)} of{' '}
                {bytes(stats.limit_bytes)}
              </>
            )}
          </>
        }
      >
        <SessionMenu sessionId={sessionId} />
      </PageHead>
      <Tabs
        label="Parts of the session"
        tabs={[
          {
            id: 'transcript',
            label: 'Transcript',
            content: () => <Transcript sessionId={sessionId} summarized={session.summarizedCount} />,
          },
          { id: 'summary', label: 'Summary', content: () => <Summary {...session} /> },
          { id: 'memories', label: 'Memories', content: () => <SessionMemories sessionId={sessionId} /> },
          { id: 'references', label: 'References', content: () => <References sessionId={sessionId} /> },
          { id: 'decay', label: 'Decay', content: () => <Decay sessionId={sessionId} /> },
        ]}
      />
      <Floating />
    </>
  );
}

interface SummaryProps {
  readonly summary: string | null;
  readonly summarizedCount: number;
}

function Summary({ summary, summarizedCount }: SummaryProps): ReactNode {
  if (summary === null)
    return (
      <EmptyState text="Nothing is summarised yet: all messages still go into the prompt as they were said." />
    );
  return (
    <>
      <p className="hint summary-about">
        Covers messages 1 to {summarizedCount}. Prompts have it in their place; what was said later stands
        there word for word.
      </p>
      <p className="text" dir="auto">
        {summary}
      </p>
    </>
  );
}

function SessionMenu({ sessionId }: { readonly sessionId: string }): ReactNode {
  const [dialog, setDialog] = useState<'compact' | 'forget'>();
  const canWrite = useCanWrite();
  const call = useCall();
  const close = useAct('closeSession');
  const [, navigate] = useLocation();
  const download = async (format: 'json' | 'jsonl'): Promise<void> => {
    const { content } = await call('exportSession', { session_id: sessionId, format });
    saveFile(`${sessionId}.${format}`, content);
  };
  return (
    <>
      <Menu
        label="What can be done with this session"
        className="button"
        trigger={
          <>
            <Ellipsis size={16} /> Session
          </>
        }
      >
        {(['json', 'jsonl'] as const).map((format) => (
          <MenuButton key={format} icon={Download} onChoose={() => void download(format).catch(failed)}>
            Export as {format === 'json' ? 'JSON' : 'lines'}
          </MenuButton>
        ))}
        {canWrite && (
          <>
            <MenuButton
              icon={Archive}
              onChoose={() =>
                close.mutate(
                  { session_id: sessionId },
                  {
                    onSuccess: () => toast('Closed: all is written, the next use opens it again'),
                    onError: failed,
                  },
                )
              }
            >
              Close
            </MenuButton>
            <MenuButton icon={Minimize2} onChoose={() => setDialog('compact')}>
              Compact…
            </MenuButton>
            <MenuButton icon={Trash2} isDanger onChoose={() => setDialog('forget')}>
              Forget…
            </MenuButton>
          </>
        )}
      </Menu>
      {dialog === 'compact' && <Compact sessionId={sessionId} onClose={() => setDialog(undefined)} />}
      {dialog === 'forget' && (
        <ForgetDialog
          session={sessionId}
          onClose={() => setDialog(undefined)}
          onForgotten={() => navigate('/sessions')}
        />
      )}
    </>
  );
}

interface DialogProps {
  readonly sessionId: string;
  readonly onClose: () => void;
}

/** A rehearsal first: what would be taken out, and how much smaller the files get. */
function Compact({ sessionId, onClose }: DialogProps): ReactNode {
  const [dropsFaded, setDropsFaded] = useState(false);
  const input = { session_id: sessionId, drop_faded: dropsFaded };
  const rehearsed = useAnswer('compactSession', { ...input, dry_run: true });
  const compact = useAct('compactSession');
  return (
    <Confirm
      question="Compact this session?"
      action="Compact"
      onClose={onClose}
      onConfirm={async () => {
        const { bytes_before, bytes_after } = await compact.mutateAsync(input);
        toast(`Compacted: ${bytes(bytes_before)} are ${bytes(bytes_after)} now`);
      }}
    >
      <p>Deleted memories leave the files. What is remembered stays as it is.</p>
      <label className="check">
        <input type="checkbox" checked={dropsFaded} onChange={() => setDropsFaded(!dropsFaded)} />
        Also take out memories that have faded away
      </label>
      <Answered asked={rehearsed} what="The rehearsal failed" rows={1}>
        {({ bytes_before, bytes_after, dropped, entries_before }) => (
          <p>
            {bytes(bytes_before)} would become {bytes(bytes_after)};{' '}
            {counted(dropped.length, 'memory', 'memories')} of {entries_before} would be taken out.
          </p>
        )}
      </Answered>
    </Confirm>
  );
}
