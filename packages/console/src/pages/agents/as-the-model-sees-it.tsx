import { Eye } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAnswer, useCanWrite } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';

/** The system prompt of a turn that would begin now: the agent's words, its private memory, its notes. */
export function AsTheModelSeesIt({ agentId }: { readonly agentId: string }): ReactNode {
  const [isShown, setShown] = useState(false);
  const canWrite = useCanWrite();
  const { data, error, refetch } = useAnswer(
    'contextOfUser',
    { agent_id: agentId, messages: [{ role: 'user', content: 'Hello' }] },
    { isOn: isShown },
  );
  // A context belongs to the session of the day, which a reader may not begin.
  if (!canWrite) return null;
  const system = data?.messages.find(({ role }) => role === 'system')?.content;
  return (
    <section className="card">
      <div className="spread">
        <h2>As the model sees it</h2>
        {typeof system === 'string' ? (
          <CopyButton text={system} label="Copy the system prompt" />
        ) : (
          !isShown && (
            <Button onClick={() => setShown(true)}>
              <Eye size={15} /> Show
            </Button>
          )
        )}
      </div>
      {!isShown && (
        <p className="hint">
          The system prompt with the private memory and the notes, as a turn of today would send it.
        </p>
      )}
      {error !== null && <ErrorBox error={error} what="The prompt could not be made" onRetry={refetch} />}
      {isShown && data === undefined && error === null && <RowsLoading rows={2} />}
      {typeof system === 'string' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
        <pre className="sunk" dir="auto" tabIndex={0}>
          {system}
        </pre>
      )}
    </section>
  );
}
