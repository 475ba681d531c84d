import { type FormEvent, type ReactNode, useId } from 'react';
import { useDraft } from '../api/drafts.ts';
import { useAct } from '../api/hooks.ts';
import { Button } from './button.tsx';
import { Choice } from './choice.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './error-box.tsx';
import { Field } from './field.tsx';
import { MEMORY_TYPES, type Memory, textOf } from './memory-fields.tsx';
import { toast } from './toast.tsx';

interface Draft {
  readonly text: string;
  readonly type: (typeof MEMORY_TYPES)[number];
  readonly importance: number;
  readonly tags: string;
}

export interface EditMemoryProps {
  /** A new one when left out. */
  readonly memory?: Memory;
  readonly onClose: () => void;
}

/** A new memory of the user, or a memory that is put right. What is written stays until it is saved or discarded. */
export function EditMemory({ memory, onClose }: EditMemoryProps): ReactNode {
  const saved: Draft =
    memory === undefined
      ? { text: '', type: 'finding', importance: 0.5, tags: '' }
      : {
          text: textOf(memory.content),
          type: memory.type,
          importance: memory.importance,
          tags: memory.tags.join(' '),
        };
  const [draft, setDraft] = useDraft<Draft>(`memory ${memory?.id ?? 'new'}`);
  const remember = useAct('remember');
  const update = useAct('updateMemory');
  const id = useId();
  const shown = draft ?? saved;
  const change = (changes: Partial<Draft>): void => setDraft({ ...shown, ...changes });
  const done = (text: string): void => {
    setDraft(undefined);
    toast(text);
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { text, type, importance } = shown;
    const tags = shown.tags.split(/[\s,]+/).filter((tag) => tag !== '');
    if (memory === undefined)
      remember.mutate(
        { content: text, type, importance, tags },
        {
          onSuccess: ({ confirmed }) =>
            done(confirmed ? 'It was known already, and is confirmed' : 'Memory added'),
        },
      );
    else
      update.mutate(
        {
          ...{ session_id: memory.session_id, memory_id: memory.id, type, importance, tags },
          // Other content than a text keeps its fields.
          ...(text === saved.text ? {} : { content: { ...memory.content, text } }),
        },
        { onSuccess: () => done('Memory saved') },
      );
  };
  const error = remember.error ?? update.error;
  return (
    <Dialog title={memory === undefined ? 'Add a memory' : 'Edit this memory'} onClose={onClose} isWide>
      <form className="stack" onSubmit={submit}>
        <label htmlFor={`${id}-text`}>Text</label>
        <textarea
          id={`${id}-text`}
          className="field is-text"
          dir="auto"
          rows={4}
          required
          autoFocus
          value={shown.text}
          onChange={({ target }) => change({ text: target.value })}
        />
        <Choice
          label="Type"
          value={shown.type}
          options={MEMORY_TYPES.map((type) => [type])}
          onChoose={(type) => change({ type: type as Draft['type'] })}
        />
        <Field
          label={`Importance: ${shown.importance.toFixed(2)}`}
          className=""
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={shown.importance}
          onWrite={(text) => change({ importance: Number(text) })}
        />
        <Field
          label="Tags"
          autoComplete="off"
          value={shown.tags}
          aria-describedby={`${id}-hint`}
          onWrite={(text) => change({ tags: text })}
        />
        <p id={`${id}-hint`} className="hint">
          Words with spaces between them; a dot makes a level: <code>security.authentication</code>.
        </p>
        {error !== null && (
          <ErrorBox error={error} what="The memory was not saved" kept="What you wrote is still here." />
        )}
        <div className="row">
          <Button
            type="submit"
            look="main"
            disabled={shown.text.trim() === '' || remember.isPending || update.isPending}
          >
            Save
          </Button>
          {draft !== undefined && <Button onClick={() => setDraft(undefined)}>Discard changes</Button>}
        </div>
      </form>
    </Dialog>
  );
}
