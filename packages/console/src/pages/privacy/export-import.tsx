import type { OutputOf } from 'longhand/client';
import { Download } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useParam } from '../../api/address.ts';
import { useAct, useAnswer, useCall, useCanWrite, useSession } from '../../api/hooks.ts';
import { api } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { inNumbers, layersOf } from '../../parts/going.tsx';
import { bytes, count, counted } from '../../parts/numbers.ts';
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
          Messages, details and notes come on top. The tab Import reads the file again.
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

const FORMATS = {
  longhand: 'an export of Longhand',
  mem0: 'memories of mem0',
  mcp_memory: 'a file of the MCP reference memory',
  memories: 'memories as JSON',
} as const;
const MOST_LINES = 1_000;
const JSON_BEGINS = /^\s*[[{]/;

/** A file, or a text that was pasted: an export, another program's memories, or lines that are a memory each. */
export function Import(): ReactNode {
  const canWrite = useCanWrite();
  const [text, setText] = useState('');
  const [name, setName] = useState<string>();
  const look = useAct('importMemories');
  const take = useAct('importMemories');
  const isJson = JSON_BEGINS.test(text);
  const asked = { content: text, ...(name && { name }) };
  const write = (next: string): void => {
    setText(next);
    look.reset();
    take.reset();
  };
  const open = (file: File, content: string): void => {
    write(content);
    setName(file.name);
    if (JSON_BEGINS.test(content)) look.mutate({ content, name: file.name, dry_run: true });
  };
  const { data: preview } = look;
  const error = take.error ?? look.error;
  const isIdle = !look.isPending && !take.isPending;
  const words = preview === undefined ? 'Look at it' : `Import ${inNumbers(preview)}`;
  return (
    <section className="card stack">
      <h2>Bring memories in</h2>
      <p className="hint">
        An export of Longhand, the memories of mem0 or of the MCP reference memory, a list of memories as
        JSON; or plain lines, from a text or Markdown file, which become a memory each.
      </p>
      <div className="row">
        <label className="button file-button">
          Choose a file
          <input
            type="file"
            className="visually-hidden"
            accept=".json,.jsonl,.ndjson,.txt,.md,application/json,text/*"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              void file?.text().then((content) => open(file, content));
              target.value = '';
            }}
          />
        </label>
        {name !== undefined && <bdi>{`${name}, ${bytes(new Blob([text]).size)}`}</bdi>}
      </div>
      {(!isJson || text.length < 20_000) && (
        <textarea
          className="field is-text"
          rows={6}
          dir="auto"
          aria-label="The text"
          value={text}
          onChange={(event) => write(event.target.value)}
        />
      )}
      {preview !== undefined && take.data === undefined && <Preview report={preview} />}
      {error !== null && <ErrorBox error={error} what="This was not imported" />}
      {take.data !== undefined && (
        <p role="status">
          Imported: {inNumbers(take.data)}. <Link href="/sessions">See the sessions</Link>
        </p>
      )}
      {isJson && take.data === undefined && (
        <Button
          look="main"
          disabled={!canWrite || !isIdle || (preview && layersOf(preview).length === 0)}
          onClick={() => (preview ? take.mutate(asked) : look.mutate({ ...asked, dry_run: true }))}
        >
          {isIdle ? words : take.isPending ? 'Importing …' : 'Looking …'}
        </Button>
      )}
      {!isJson && <ImportLines text={text} source={name} onLeft={setText} />}
      {!canWrite && <p className="hint">This key may only read.</p>}
    </section>
  );
}

/** What a file is, what of it would come in, and what would not. */
function Preview({ report }: { readonly report: OutputOf<'importMemories'> }): ReactNode {
  const { format, already_there, skipped_deleted, samples } = report;
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([what, times]) => `${what} (${count(times)})`)
      .join(', ');
  return (
    <div className="import-preview stack" role="status">
      <Facts
        rows={[
          ['This is', FORMATS[format]],
          ['New', inNumbers(report)],
          ['Already there', layersOf(already_there).length > 0 && inNumbers(already_there)],
          ['Stays gone', skipped_deleted > 0 && `${counted(skipped_deleted, 'piece')}, deleted here before`],
          ['Skipped', list(report.passed_over_kinds)],
          ['Fields left out', list(report.left_out_fields)],
          ['Of other users', list(report.of_other_users)],
        ]}
      />
      <Texts texts={[...new Set(samples.map(({ text }) => text))]} />
    </div>
  );
}

function Texts({ texts }: { readonly texts: readonly string[] }): ReactNode {
  return (
    <ol aria-label="What comes in">
      {texts.map((text) => (
        <li key={text} dir="auto">
          {text}
        </li>
      ))}
    </ol>
  );
}

/** `- a list item` and `* another` without their marks; headings and rules are no memories. */
function linesOf(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?/i, '').trim());
  return [...new Set(lines.filter((line) => line !== '' && !/^(?:#|-{3,}$|={3,}$)/.test(line)))];
}

interface LinesProps {
  readonly text: string;
  readonly source: string | undefined;
  readonly onLeft: (text: string) => void;
}

function ImportLines({ text, source, onLeft }: LinesProps): ReactNode {
  const canWrite = useCanWrite();
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
        const memory = { content: lines[at]!, type: 'finding', provenance };
        if ((await remember.mutateAsync(memory)).confirmed) known++;
      }
      setReport(`${counted(at - known, 'memory', 'memories')} taken in, ${known} known already.`);
      onLeft('');
    } catch (failure) {
      setError(failure);
      onLeft(lines.slice(at).join('\n'));
    }
    setDone(undefined);
  };
  return (
    <>
      {lines.length > 0 && (
        <details className="import-preview">
          <summary>
            {counted(lines.length, 'memory', 'memories')}, as findings of the trust “external”
          </summary>
          <Texts texts={lines.slice(0, 100)} />
        </details>
      )}
      {lines.length > MOST_LINES && <p className="field-error">More than {MOST_LINES} lines are too many.</p>}
      <div className="row">
        <Button
          look="main"
          disabled={!canWrite || lines.length === 0 || lines.length > MOST_LINES || done !== undefined}
          onClick={() => void take()}
        >
          Remember {lines.length > 0 ? counted(lines.length, 'line') : 'them'}
        </Button>
        {report !== undefined && <span role="status">{report}</span>}
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
    </>
  );
}
