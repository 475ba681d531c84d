import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAct, useAnswer, useAnswerPages, useCanWrite } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PeekPanel } from '../../parts/peek-panel.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { failed, toast } from '../../parts/toast.tsx';
import { authorInWords } from './draft.ts';

export interface VersionsProps {
  readonly agent: string;
  readonly current: { readonly version: number };
  readonly chosen: number | undefined;
  readonly onChoose: (version: number | undefined) => void;
  /** Whether there are unsaved changes, which a restored version would not have. */
  readonly isChanged: boolean;
  readonly onClose: () => void;
}

/** All versions; one of them compared with another; bringing one back, which makes a new one. */
export function Versions(props: VersionsProps): ReactNode {
  const { agent, chosen, onChoose, onClose } = props;
  const asked = useAnswerPages(
    'listNotesVersions',
    { agent_id: agent, limit: 50 },
    ({ versions }) => versions,
  );
  const { hasNextPage, fetchNextPage } = asked;
  return (
    <PeekPanel title={chosen === undefined ? 'Versions' : `Version ${chosen}`} onClose={onClose}>
      <Answered asked={asked} what="The versions could not be read">
        {({ items: versions }) =>
          chosen !== undefined ? (
            <Compared
              key={chosen}
              {...props}
              chosen={chosen}
              numbers={versions.map(({ version }) => version)}
            />
          ) : versions.length === 0 ? (
            <EmptyState text="There are no versions yet: the first is made when something is written." />
          ) : (
            <ol className="versions">
              {versions.map(({ version, timestamp, author, lines_added, lines_removed, operation }) => (
                <li key={version}>
                  <button type="button" onClick={() => onChoose(version)}>
                    <b>Version {version}</b>
                    <span>
                      <span className="is-more">+{lines_added}</span>{' '}
                      <span className="is-less">−{lines_removed}</span>
                      <span className="hint"> lines</span>
                    </span>
                    <small>
                      <bdi>{authorInWords(author)}</bdi> · {operation.replaceAll('_', ' ')} ·{' '}
                      <RelativeTime time={timestamp} />
                    </small>
                  </button>
                </li>
              ))}
            </ol>
          )
        }
      </Answered>
      {chosen === undefined && hasNextPage && (
        <Button onClick={() => void fetchNextPage()}>Older ones</Button>
      )}
    </PeekPanel>
  );
}

function Compared({
  agent,
  current,
  chosen,
  numbers,
  isChanged,
  onChoose,
}: VersionsProps & { readonly chosen: number; readonly numbers: readonly number[] }): ReactNode {
  const [other, setOther] = useState(chosen === current.version ? chosen - 1 : current.version);
  const [older, newer] = [Math.min(chosen, other), Math.max(chosen, other)];
  const canWrite = useCanWrite();
  const restore = useAct('restoreNotes');
  const isOther = other > 0 && other !== chosen;
  const asked = useAnswer('readNotesVersion', {
    ...{ agent_id: agent, version: isOther ? newer : chosen },
    ...(isOther ? { compare_with: older } : {}),
  });
  return (
    <>
      <div className="spread">
        <Button look="link" className="row" onClick={() => onChoose(undefined)}>
          <ArrowLeft size={14} /> All versions
        </Button>
        <div className="row">
          <Choice
            label="Compared with"
            className="field other-version"
            value={other}
            options={[
              ['0', 'nothing'],
              ...numbers.filter((one) => one !== chosen).map((one) => [`${one}`, `version ${one}`] as const),
            ]}
            onChoose={(version) => setOther(Number(version))}
          />
        </div>
      </div>
      <Answered asked={asked} what="The version could not be read">
        {({ text, diff = '' }) =>
          isOther ? (
            <Diff diff={diff} caption={`From version ${older} to version ${newer}`} />
          ) : (
            <pre className="version-text" dir="auto">
              {text}
            </pre>
          )
        }
      </Answered>
      {canWrite && chosen !== current.version && (
        <div className="stack">
          <Button
            disabled={isChanged || restore.isPending}
            onClick={() =>
              restore
                .mutateAsync({ agent_id: agent, version: chosen, expected_version: current.version })
                .then(({ version }) => {
                  toast(`Version ${chosen} is back, as version ${version}.`);
                  onChoose(undefined);
                })
                .catch(failed)
            }
          >
            Bring it back as a new version
          </Button>
          {isChanged && <p className="hint">Save or discard your changes first.</p>}
        </div>
      )}
    </>
  );
}

/** Lines of a unified diff, each with a sign as well as a colour. */
function Diff({ diff, caption }: { readonly diff: string; readonly caption: string }): ReactNode {
  // Before the first place stand the names of the files. A line that was a rule is `----` in what follows.
  const all = diff.split('\n');
  const lines = all.slice(all.findIndex((line) => line.startsWith('@@'))).filter((line) => line[0] !== '\\');
  while (lines.at(-1) === '') lines.pop();
  if (!lines.some((line) => /^[+-]/.test(line))) return <EmptyState text="The texts are the same." />;
  return (
    <figure className="diff">
      <figcaption className="hint">{caption}</figcaption>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
        <DiffLine key={at} line={line} />
      ))}
    </figure>
  );
}

const SIGNS: Readonly<Record<string, readonly [kind: string, sign: string, word: string]>> = {
  '+': ['added', '+', 'added'],
  '-': ['removed', '−', 'removed'],
  '@': ['place', '', 'lines'],
};

function DiffLine({ line }: { readonly line: string }): ReactNode {
  const [kind, sign, word] = SIGNS[line[0] ?? ''] ?? ['same', '', ''];
  return (
    <div className={`is-${kind}`}>
      <span aria-hidden>{sign}</span>
      <span className="visually-hidden">{word}</span>
      <p dir="auto">{kind === 'place' ? line.replace(/^@@ .*?\+(\d+).*/, 'from line $1') : line.slice(1)}</p>
    </div>
  );
}
