import { type ReactNode, useState } from 'react';
import { useAnswer } from '../api/hooks.ts';
import { EditMemory } from './edit-memory.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { MemoryPeek } from './memory-peek.tsx';

export interface FloatingProps {
  /** `SESSION/MEMORY` */
  readonly opened: string | undefined;
  readonly isAdding?: boolean;
  readonly onOpen: (place: string) => void;
  readonly onClose: () => void;
}

/** What stands over a page: a memory, what is done with it, or a new one. */
export function Floating({ opened, isAdding, onOpen, onClose }: FloatingProps): ReactNode {
  const [act, setAct] = useState<'edit' | 'forget'>();
  const [session_id = '', memory_id = ''] = (opened ?? '').split('/');
  const { data } = useAnswer('getMemory', { session_id, memory_id }, { isOn: opened !== undefined });
  if (isAdding) return <EditMemory onClose={onClose} />;
  if (opened === undefined) return null;
  return (
    <>
      <MemoryPeek
        key={opened}
        place={opened}
        onOpen={onOpen}
        onClose={onClose}
        onEdit={() => setAct('edit')}
        onForget={() => setAct('forget')}
      />
      {act === 'edit' && data !== undefined && <EditMemory memory={data} onClose={() => setAct(undefined)} />}
      {act === 'forget' && (
        <ForgetDialog ids={[memory_id]} onClose={() => setAct(undefined)} onForgotten={onClose} />
      )}
    </>
  );
}
