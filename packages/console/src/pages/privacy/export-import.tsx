import { Download } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useParam } from '../../api/address.ts';
import { useAct, useAnswer, useCall, useCanWrite, useSession } from '../../api/hooks.ts';
import { api } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { toast } from '../../parts/toast.tsx';

/** Everything of the user, or one session, as a file. */
export function Export(): ReactNode {
  const { me, scope } = useSession();
  const [session = '', setSession] = useParam('session');
  const [format = 'jsonl', setFormat] = useParam('format');
  const [received, setReceived] = useState<number>();
  const [error, setError] = useState<unknown>();
  const ending = useRef<AbortController>(null);
  const call = useCall();
  const { data: sizes } = useAnswer('analytics', {});
  const { data: sessions } = useAnswer('listChatSessions', { limit: 50 });
  const user = scope.user ?? me?.user_id ?? 'user';

  const run = async (): Promise<void> => {
    setError(undefined);
    setReceived(0);
    const controller = new AbortController();
    ending.current = controller;
    try {
      if (session !== '') {
        const { content } = await call('exportSession', {
          session_id: session,
          format: format === 'json' ? 'json' : 'jsonl',
        });
        saveFile(`longhand-${session}.${format}`, content);
      } else {
        const file = await everything(controller.signal, setReceived);
        saveFile(`longhand-${user}-${new Date().toISOString().slice(0, 10)}.jsonl`, file);
        toast(`Exported ${bytes(file.size)}.`);
      }
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    }
    setReceived(undefined);
  };
  return (
    <section className="card stack export">
      <h2>Take it along</h2>
      <Choice
        label="What"
        value={session}
        options={[
          ['', `Everything of ${user}: all layers, as lines of JSON`],
          ...(sessions?.sessions ?? []).map(
            ({ session_id }) => [session_id, `The memories of session ${session_id}`] as const,
          ),
        ]}
        onChoose={setSession}
      />
      {session !== '' && (
        <Choice
          label="Format"
          value={format}
          options={[
            ['jsonl', 'Lines of JSON, a memory each'],
            ['json', 'JSON'],
          ]}
          onChoose={setFormat}
        />
      )}
      {session === '' && sizes !== undefined && (
        <p className="hint">
          About {bytes(sizes.sizes.bytes)} of memories in {counted(sizes.sizes.sessions, 'session')}.
          Messages, details and notes come on top. <code>longhand import</code> reads the file again.
        </p>
      )}
      <div className="row">
        <Button look="main" disabled={received !== undefined} onClick={() => void run()}>
          <Download size={15} /> Export
        </Button>
        {received !== undefined && (
          <>
            <span role="status">{bytes(received)} received</span>
            <Button onClick={() => ending.current?.abort()}>Stop</Button>
          </>
        )}
      </div>
      {error !== undefined && (
        <ErrorBox error={error} what="The export did not end" kept="Nothing was changed." onRetry={run} />
      )}
    </section>
  );
}

async function everything(signal: AbortSignal, onReceived: (size: number) => void): Promise<Blob> {
  const response = await api().request('exportUser', {}, { signal }, 'application/x-ndjson');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = response.body!.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: 'application/x-ndjson' });
    parts.push(value);
    size += value.length;
    onReceived(size);
  }
}

const COMMANDS = [
  ['Look first, without writing', 'longhand import FILE --dry-run'],
  ['Then bring it in', 'longhand import FILE'],
] as const;
const MOST_LINES = 1_000;

/** Lines of text here; exports and other programs' files by the command. */
export function Import(): ReactNode {
  return (
    <div className="forget">
      <ImportLines />
      <section className="card stack">
        <h2>An export, or another program's file</h2>
        <p>
          The command recognises Longhand's own exports and the files of other memories. It shows what is new
          and what is there already, and never brings back what was forgotten.
        </p>
        {COMMANDS.map(([about, command]) => (
          <div key={command}>
            <p className="label">{about}</p>
            <p className="command">
              <code>{command}</code>
              <CopyButton text={command} />
            </p>
          </div>
        ))}
      </section>
    </div>
  );
}

/** `- a list item` and `* another` without their marks; headings and rules are no memories. */
function linesOf(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?/i, '').trim());
  return [...new Set(lines.filter((line) => line !== '' && !/^(?:#|-{3,}$|={3,}$)/.test(line)))];
}

function ImportLines(): ReactNode {
  const canWrite = useCanWrite();
  const [text, setText] = useState('');
  const [source, setSource] = useState<string>();
  const [done, setDone] = useState<number>();
  const [report, setReport] = useState<string>();
  const [error, setError] = useState<unknown>();
  const remember = useAct('remember');
  const lines = linesOf(text);
  const take = async (): Promise<void> => {
    setError(undefined);
    setReport(undefined);
    let known = 0;
    let at = 0;
    try {
      for (; at < lines.length; at++) {
        setDone(at);
        const provenance = { author: 'import', trust: 'external', ...(source && { source }) } as const;
        const { confirmed } = await remember.mutateAsync({
          content: lines[at]!,
          type: 'finding',
          provenance,
        });
        if (confirmed) known++;
      }
      setReport(`${counted(at - known, 'memory', 'memories')} taken in, ${known} known already.`);
      setText('');
    } catch (failure) {
      setError(failure);
      setText(lines.slice(at).join('\n'));
    }
    setDone(undefined);
  };
  return (
    <section className="card stack">
      <h2>Lines of text</h2>
      <p className="hint">
        A memory each: a list that you keep elsewhere, a text or Markdown file. What is known already is
        confirmed, not doubled.
      </p>
      <label className="button file-button">
        Choose a file
        <input
          type="file"
          className="visually-hidden"
          accept=".txt,.md,text/plain,text/markdown"
          onChange={(event) => {
            const file = event.target.files?.[0];
            event.target.value = '';
            setSource(file?.name);
            void file?.text().then(setText);
          }}
        />
      </label>
      <textarea
        className="field is-text"
        rows={6}
        dir="auto"
        aria-label="The lines"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {lines.length > 0 && (
        <details className="import-preview">
          <summary>
            {counted(lines.length, 'memory', 'memories')}, as findings with the trust “external”
          </summary>
          <ol>
            {lines.slice(0, 100).map((line) => (
              <li key={line} dir="auto">
                {line}
              </li>
            ))}
          </ol>
        </details>
      )}
      {lines.length > MOST_LINES && (
        <p className="field-error">More than {MOST_LINES} lines: use the command.</p>
      )}
      <div className="row">
        <Button
          look="main"
          disabled={!canWrite || lines.length === 0 || lines.length > MOST_LINES || done !== undefined}
          onClick={() => void take()}
        >
          Remember {lines.length > 0 ? counted(lines.length, 'line') : 'them'}
        </Button>
        {report !== undefined && <span role="status">{report}</span>}
        {!canWrite && <span className="hint">This key may only read.</span>}
      </div>
      {done !== undefined && (
        <ProgressBar label="Lines taken in" value={done} max={lines.length} isNear={false} />
      )}
      {error !== undefined && (
        <ErrorBox
          error={error}
          what="Not all lines were taken in"
          kept="Those that are left stand in the field."
          onRetry={take}
        />
      )}
    </section>
  );
}
