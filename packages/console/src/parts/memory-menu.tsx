import { Copy, Ellipsis, Pencil, ScrollText, Sparkles, Tag, Trash2, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { addressOf, useFilters } from '../api/address.ts';
import { useCanWrite } from '../api/hooks.ts';
import { beginAct } from './memory-acts.ts';
import { type Memory, placeOf } from './memory-fields.tsx';
import { Menu, MenuButton, MenuLink } from './menu.tsx';
import { toast } from './toast.tsx';

/** What can be done with a memory, wherever it is shown. */
export function MemoryMenu({ memory }: { readonly memory: Memory }): ReactNode {
  const [, change] = useFilters();
  const canWrite = useCanWrite();
  const { id, session_id } = memory;
  const copy = (): void =>
    void navigator.clipboard.writeText(id).then(
      () => toast('Copied'),
      () => toast('The browser does not allow to copy', { isError: true }),
    );
  return (
    <Menu label="More for this memory" trigger={<Ellipsis size={16} />}>
      {canWrite && (
        <>
          <MenuButton icon={Pencil} onChoose={() => beginAct('edit', memory)}>
            Edit…
          </MenuButton>
          <MenuButton icon={Tag} onChoose={() => beginAct('tag', memory)}>
            Tag…
          </MenuButton>
        </>
      )}
      <MenuButton icon={Sparkles} onChoose={() => change({ open: placeOf(memory), similar: 'shown' })}>
        Show similar
      </MenuButton>
      <MenuLink icon={Waypoints} href={addressOf(['sessions', session_id], { tab: 'references', from: id })}>
        What refers to it
      </MenuLink>
      <MenuLink icon={ScrollText} href={addressOf(['sessions', session_id])}>
        To its session
      </MenuLink>
      <MenuButton icon={Copy} onChoose={copy}>
        Copy the id
      </MenuButton>
      {canWrite && (
        <MenuButton icon={Trash2} isDanger onChoose={() => beginAct('forget', memory)}>
          Forget…
        </MenuButton>
      )}
    </Menu>
  );
}
