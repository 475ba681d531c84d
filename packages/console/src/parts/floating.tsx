import { type ReactNode, useEffect } from 'react';
import { useFilters } from '../api/address.ts';
import { EditMemory } from './edit-memory.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { endAct, useMemoryAct } from './memory-acts.ts';
import type { FoundMemory } from './memory-fields.tsx';
import { MemoryPeek } from './memory-peek.tsx';
import { TagDialog } from './tag-dialog.tsx';

export interface FloatingProps {
  /** Those of the list below, with their scores. */
  readonly found?: readonly FoundMemory[];
  /** Called when several memories were tagged or forgotten. */
  readonly onDone?: () => void;
}

/** What stands over a page: the memory that the address names as open, and what is done with memories. */
export function Floating({ found = [], onDone }: FloatingProps): ReactNode {
  const [params, change] = useFilters();
  const opened = params.get('open');
  const act = useMemoryAct();
  useEffect(() => endAct, []);
  const done = (): void => {
    endAct();
    onDone?.();
  };
  const [memory] = act?.memories ?? [];
  return (
    <>
      {opened !== null && <MemoryPeek key={opened} place={opened} found={found} />}
      {act?.what === 'add' && <EditMemory onClose={endAct} />}
      {act?.what === 'edit' && memory !== undefined && <EditMemory memory={memory} onClose={endAct} />}
      {act?.what === 'tag' && <TagDialog memories={act.memories} onClose={endAct} onDone={done} />}
      {act?.what === 'forget' && (
        <ForgetDialog
          ids={act.memories.map(({ id }) => id)}
          onClose={endAct}
          onForgotten={() => {
            done();
            change({ open: undefined, similar: undefined });
          }}
        />
      )}
    </>
  );
}
