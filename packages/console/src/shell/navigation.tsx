import { CircleUser, Command, Ellipsis, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useStore } from 'zustand';
import { archive } from '../api/archive.ts';
import { useSession } from '../api/hooks.ts';
import { signOut } from '../api/session.ts';
import { type ConsolePage, homeOf, PAGES, pageAt } from '../pages.ts';
import { Menu, MenuButton, MenuLink } from '../parts/menu.tsx';
import { ScopeDialog } from '../parts/scope-chooser.tsx';
import { failed } from '../parts/toast.tsx';
import { setTheme, theme } from './theme.ts';

export const IS_MAC = /Mac|iP(?:hone|ad)/.test(navigator.platform);

/** The rail on the left; below 760 px, the bar at the bottom. */
export function Navigation({ onCommands }: { readonly onCommands: () => void }): ReactNode {
  const [location] = useLocation();
  const current = pageAt(location);
  return (
    <header className="rail">
      <Link className="word-mark" href="/" aria-label="Longhand, to the overview">
        Longhand
      </Link>
      <button type="button" className="nav-link command-button" onClick={onCommands}>
        <Command size={18} />
        <span>Go to …</span>
        <kbd>{IS_MAC ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <nav aria-label="Pages">
        {PAGES.map((page) => (
          <PageLink key={page.path} page={page} isCurrent={page === current} />
        ))}
        <More current={current} onCommands={onCommands} />
      </nav>
      <Foot />
    </header>
  );
}

function PageLink({
  page,
  isCurrent,
}: {
  readonly page: ConsolePage;
  readonly isCurrent: boolean;
}): ReactNode {
  const { label, icon: Icon, isInBar, load } = page;
  return (
    <Link
      className={isInBar ? 'nav-link in-bar' : 'nav-link'}
      href={homeOf(page)}
      aria-current={isCurrent ? 'page' : undefined}
      onPointerEnter={() => void load().catch(() => undefined)}
    >
      <Icon size={18} />
      <span>{label}</span>
    </Link>
  );
}

interface MoreProps {
  readonly current: ConsolePage | undefined;
  readonly onCommands: () => void;
}

function More({ current, onCommands }: MoreProps): ReactNode {
  const [isScopeOpen, setScopeOpen] = useState(false);
  const canSignOut = useCanSignOut();
  return (
    <div className="nav-more">
      <Menu
        label="More"
        className={current !== undefined && !current.isInBar ? 'nav-link is-current' : 'nav-link'}
        trigger={
          <>
            <Ellipsis size={18} />
            <span>More</span>
          </>
        }
      >
        {PAGES.filter(({ isInBar }) => !isInBar).map((page) => (
          <MenuLink key={page.path} href={homeOf(page)} icon={page.icon}>
            {page.label}
          </MenuLink>
        ))}
        <MenuButton icon={Command} onChoose={onCommands}>
          Go to …
        </MenuButton>
        <MenuButton icon={CircleUser} onChoose={() => setScopeOpen(true)}>
          Whose memory…
        </MenuButton>
        <MenuButton icon={Sun} onChoose={() => setTheme()}>
          Other theme
        </MenuButton>
        {canSignOut && (
          <MenuButton icon={LogOut} onChoose={() => void signOut().catch(failed)}>
            Sign out
          </MenuButton>
        )}
      </Menu>
      {isScopeOpen && <ScopeDialog onClose={() => setScopeOpen(false)} />}
    </div>
  );
}

/** There is something to sign out of when the server asks for keys. */
function useCanSignOut(): boolean {
  return useSession().me?.csrf_token != null;
}

function Foot(): ReactNode {
  const { me, scope, isConnected } = useSession();
  const [isScopeOpen, setScopeOpen] = useState(false);
  const canSignOut = useCanSignOut();
  const user = scope.user ?? me?.user_id ?? 'no user chosen';
  return (
    <div className="rail-foot">
      <button type="button" className="scope" onClick={() => setScopeOpen(true)}>
        <CircleUser size={18} />
        <span>
          <b dir="auto">{user}</b>
          <small>
            in <span dir="auto">{me?.account_id}</span>
            {scope.agent !== undefined && (
              <>
                {' · agent '}
                <span dir="auto">{scope.agent}</span>
              </>
            )}
          </small>
        </span>
      </button>
      <ArchiveWords />
      <div className="rail-row">
        <span className={isConnected ? 'connection' : 'connection is-lost'}>
          {isConnected ? 'Connected' : 'Offline'}
        </span>
        <ThemeButton />
        {canSignOut && (
          <button
            type="button"
            className="icon-button"
            aria-label="Sign out"
            title="Sign out"
            onClick={() => void signOut().catch(failed)}
          >
            <LogOut size={16} />
          </button>
        )}
      </div>
      {isScopeOpen && <ScopeDialog onClose={() => setScopeOpen(false)} />}
    </div>
  );
}

/** What of the chat is not on the server yet. */
function ArchiveWords(): ReactNode {
  const { state } = useStore(archive);
  if (state === undefined) return null;
  const { failed, waiting } = state;
  return (
    <Link className="archive-words" href="/chat" data-failed={failed.length > 0}>
      Chat:{' '}
      {failed.length > 0
        ? `${failed.length} could not be kept`
        : waiting > 0
          ? `${waiting} waiting to be kept`
          : 'all kept'}
    </Link>
  );
}

const THEMES = {
  system: { icon: Monitor, label: 'Theme: as the system' },
  light: { icon: Sun, label: 'Theme: light' },
  dark: { icon: Moon, label: 'Theme: dark' },
} as const;

function ThemeButton(): ReactNode {
  const { icon: Icon, label } = THEMES[useStore(theme).theme];
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={() => setTheme()}>
      <Icon size={16} />
    </button>
  );
}
