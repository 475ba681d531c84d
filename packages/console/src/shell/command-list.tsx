import { Bot, type LucideIcon, Monitor, Moon, Plus, ScrollText, Search, Sun } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../api/address.ts';
import { useAnswer, useCanWrite } from '../api/hooks.ts';
import { homeOf, PAGES } from '../pages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EditMemory } from '../parts/edit-memory.tsx';
import { setTheme } from './theme.ts';

type Command = readonly [words: string, kind: string, icon: LucideIcon, run: () => void];

const MOST = 12;

/** Where to go and what to do, by typing: pages, agents, sessions, the search, a new memory, the theme. */
export function CommandList({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [isAdding, setAdding] = useState(false);
  const [, navigate] = useLocation();
  const canWrite = useCanWrite();
  const { data: known } = useAnswer('listAgents', {});
  const { data: recent } = useAnswer('listChatSessions', { limit: 100 });
  const id = useId();
  const doing = (act: () => void) => () => {
    act();
    onClose();
  };
  const to = (address: string) => doing(() => navigate(address));
  const commands: readonly Command[] = [
    ...PAGES.map((page): Command => [page.label, 'page', page.icon, to(homeOf(page))]),
    ...(canWrite ? [['Add a memory', '', Plus, () => setAdding(true)] as const] : []),
    ['Light theme', '', Sun, doing(() => setTheme('light'))],
    ['Dark theme', '', Moon, doing(() => setTheme('dark'))],
    ['Theme as the system', '', Monitor, doing(() => setTheme('system'))],
    ...(known?.agents ?? []).map(
      ({ name }): Command => [name, 'agent', Bot, to(addressOf(['agents', name]))],
    ),
    ...(recent?.sessions ?? []).map(
      ({ session_id: session }): Command => [
        session,
        'session',
        ScrollText,
        to(addressOf(['sessions', session])),
      ],
    ),
  ];
  const typed = text.toLowerCase().split(/\s+/);
  const found = commands.filter(([words, kind]) =>
    typed.every((word) => `${words} ${kind}`.toLowerCase().includes(word)),
  );
  const q = text.trim();
  const search: Command = [`Search for “${q}”`, '', Search, to(addressOf(['search'], { q }))];
  const shown = [...found.slice(0, MOST), ...(q === '' ? [] : [search])];
  const chosen = Math.min(at, shown.length - 1);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
    if (moved !== undefined) setAt((moved + shown.length) % shown.length);
    else if (event.key === 'Enter') shown[chosen]?.[3]();
    else return;
    event.preventDefault();
  };
  if (isAdding) return <EditMemory onClose={onClose} />;
  return (
    <Dialog title="Go to, or do" onClose={onClose}>
      <input
        className="field"
        role="combobox"
        aria-label="What to go to or to do"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={`${id}-${chosen}`}
        placeholder="A page, an agent, a session, words to search for"
        autoComplete="off"
        dir="auto"
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
      />
      <div id={id} className="commands" role="listbox" aria-label="Commands">
        {shown.map(([words, kind, Icon, run], place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
          <div
            key={`${kind} ${words}`}
            id={`${id}-${place}`}
            className="menu-item"
            role="option"
            aria-selected={place === chosen}
            tabIndex={-1}
            onClick={run}
          >
            <Icon size={16} />
            <bdi>{words}</bdi>
            <small>{kind}</small>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
