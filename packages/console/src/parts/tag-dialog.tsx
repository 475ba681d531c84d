import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useCall } from '../api/hooks.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './error-box.tsx';
import { Field } from './field.tsx';
import type { Memory } from './memory-fields.tsx';
import { counted } from './numbers.ts';
import { failed, toast } from './toast.tsx';

export interface TagDialogProps {
  readonly memories: readonly Memory[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives several memories the same tag, with undo. */
export function TagDialog({ memories, onClose, onDone }: TagDialogProps): ReactNode {
  const [tag, setTag] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const call = useCall();
  const client = useQueryClient();
  const save = async (tagsOf: (memory: Memory) => readonly string[]): Promise<void> => {
    for (const memory of memories)
      await call('updateMemory', {
        session_id: memory.session_id,
        memory_id: memory.id,
        tags: tagsOf(memory),
      });
    await client.invalidateQueries();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await save(({ tags }) => [...new Set([...tags, tag.trim()])]);
      toast(`${counted(memories.length, 'memory', 'memories')} tagged`, {
        undo: () => save(({ tags }) => tags).catch(failed),
      });
      onDone();
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Tag ${counted(memories.length, 'memory', 'memories')}`} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <Field label="Tag" required autoFocus autoComplete="off" value={tag} onWrite={setTag} />
        {error !== undefined && (
          <ErrorBox error={error} what="Not all were tagged" kept="Those before the first refusal are." />
        )}
        <Button type="submit" look="main" disabled={isBusy || tag.trim() === ''}>
          Add the tag
        </Button>
      </form>
    </Dialog>
  );
}
