import type { OutputOf } from 'longhand/client';
import { type FormEvent, type ReactNode, useId } from 'react';
import { useDraft } from '../../api/drafts.ts';
import { useAct, useAnswer, useIsAdmin } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { count } from '../../parts/numbers.ts';
import { Segments } from '../../parts/segments.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { toast } from '../../parts/toast.tsx';

export type PrivateMemory = OutputOf<'listAgentMemories'>['memories'][number];

export interface EditMemoryProps {
  readonly agentId: string;
  readonly memory: PrivateMemory | 'new';
  readonly onClose: () => void;
}

interface Draft {
  readonly content: string;
  readonly memory_type: 'core' | 'journal';
  readonly share_memory: boolean;
}

const MOST_LETTERS = 10_000;

/** A new memory, or another text for one that is there; its earlier texts stay in its history. */
export function EditMemory({ agentId, memory, onClose }: EditMemoryProps): ReactNode {
  const isNew = memory === 'new';
  const isAdmin = useIsAdmin();
  const saved: Draft = isNew ? { content: '', memory_type: 'journal', share_memory: isAdmin } : memory;
  const [draft, setDraft] = useDraft<Draft>(`memory ${agentId} ${isNew ? 'new' : memory.id}`);
  const add = useAct('addAgentMemory');
  const update = useAct('updateAgentMemory');
  const id = useId();
  const { content, memory_type, share_memory } = draft ?? saved;
  const change = (changes: Partial<Draft>): void =>
    setDraft({ content, memory_type, share_memory, ...changes });
  const letters = [...content.trim()].length;
  const done = (text: string): void => {
    setDraft(undefined);
    toast(text);
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const share = isAdmin ? { share_memory } : {};
    if (isNew)
      add.mutate(
        { agent_id: agentId, content, memory_type, ...share },
        { onSuccess: () => done('Memory added') },
      );
    else
      update.mutate(
        { agent_id: agentId, memory_id: memory.id, content, ...share },
        { onSuccess: () => done('Memory saved') },
      );
  };
  const error = add.error ?? update.error;
  return (
    <Dialog
      title={isNew ? 'Add a memory' : `Edit this ${memory.memory_type} memory`}
      onClose={onClose}
      isWide
    >
      <form className="stack" onSubmit={submit}>
        <label htmlFor={id}>Text</label>
        <textarea
          id={id}
          className="field is-text"
          dir="auto"
          rows={5}
          required
          autoFocus
          value={content}
          aria-describedby={`${id}-length`}
          aria-invalid={letters > MOST_LETTERS}
          onChange={({ target }) => change({ content: target.value })}
        />
        <p id={`${id}-length`} className={letters > MOST_LETTERS ? 'field-error' : 'hint'}>
          {count(letters)} of {count(MOST_LETTERS)} characters
        </p>
        {isNew && (
          <Segments
            label="Kind"
            options={{ journal: 'Journal: fades after a week', core: 'Core: permanent' }}
            chosen={memory_type}
            onChoose={(type) => change({ memory_type: type === 'core' ? 'core' : 'journal' })}
          />
        )}
        {isAdmin && (
          <label className="check">
            <input
              type="checkbox"
              checked={share_memory}
              onChange={() => change({ share_memory: !share_memory })}
            />
            Show it to every user of this agent
          </label>
        )}
        {error !== null && (
          <ErrorBox error={error} what="The memory was not saved" kept="Your text is still here." />
        )}
        <Button
          type="submit"
          look="main"
          disabled={letters === 0 || letters > MOST_LETTERS || add.isPending || update.isPending}
        >
          Save
        </Button>
      </form>
      {!isNew && (
        <History agentId={agentId} memoryId={memory.id} onUse={(text) => change({ content: text })} />
      )}
    </Dialog>
  );
}

interface HistoryProps {
  readonly agentId: string;
  readonly memoryId: string;
  readonly onUse: (text: string) => void;
}

function History({ agentId, memoryId, onUse }: HistoryProps): ReactNode {
  const { data } = useAnswer('getAgentMemory', { agent_id: agentId, memory_id: memoryId });
  if (data === undefined || data.history.length === 0) return null;
  return (
    <section>
      <h3>Earlier texts</h3>
      <ol className="history">
        {data.history.toReversed().map(({ content, replaced_at }) => (
          <li key={replaced_at}>
            <p className="hint">
              until <RelativeTime time={replaced_at} />{' '}
              <Button look="link" onClick={() => onUse(content)}>
                Use this text again
              </Button>
            </p>
            <p className="text" dir="auto">
              {content}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
