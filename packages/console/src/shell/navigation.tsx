import { CircleUser, Ellipsis, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../api/hooks.ts';
import { signOut } from '../api/session.ts';
import { type ConsolePage, PAGES, pageAt } from '../pages.ts';
import { Menu, MenuButton, MenuLink } from '../parts/menu.tsx';
import { failed } from '../parts/toast.tsx';
import { ScopeDialog } from './scope-chooser.tsx';
import { nextTheme, setTheme, shownTheme } from './theme.ts';

/** The rail on the left; below 760 px, the bar at the bottom. */
export function Navigation(): ReactNode {
  const [location] = useLocation();
  const current = pageAt(location);
  return (
    <header className="rail">
      <Link className="word-mark" href="/" aria-label="Longhand, to the overview">
        Longhand
      </Link>
      <nav aria-label="Pages">
        {PAGES.map((page) => (
          <PageLink key={page.path} page={page} isCurrent={page === current} />
        ))}
        <More current={current} />
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
      <Icon size={18} strokeWidth={1.6} aria-hidden />
      <span>{label}</span>
    </Link>
  );
}

/** The address of a page without the names that may follow. */
function homeOf({ path }: ConsolePage): string {
  return path.split('/:')[0] || '/';
}

function More({ current }: { readonly current: ConsolePage | undefined }): ReactNode {
  const [isScopeOpen, setScopeOpen] = useState(false);
  const canSignOut = useCanSignOut();
  return (
    <div className="nav-more">
      <Menu
        label="More"
        className={current !== undefined && !current.isInBar ? 'nav-link is-current' : 'nav-link'}
        trigger={
          <>
            <Ellipsis size={18} strokeWidth={1.6} aria-hidden />
            <span>More</span>
          </>
        }
      >
        {PAGES.filter(({ isInBar }) => !isInBar).map((page) => (
          <MenuLink key={page.path} href={homeOf(page)} icon={page.icon}>
            {page.label}
          </MenuLink>
        ))}
        <MenuButton icon={CircleUser} onChoose={() => setScopeOpen(true)}>
          Whose memory…
        </MenuButton>
        <MenuButton icon={Sun} onChoose={() => setTheme(nextTheme(shownTheme()))}>
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
        <CircleUser size={18} strokeWidth={1.6} aria-hidden />
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
            <LogOut size={16} strokeWidth={1.6} aria-hidden />
          </button>
        )}
      </div>
      {isScopeOpen && <ScopeDialog onClose={() => setScopeOpen(false)} />}
    </div>
  );
}

const THEMES = {
  system: { icon: Monitor, label: 'Theme: as the system' },
  light: { icon: Sun, label: 'Theme: light' },
  dark: { icon: Moon, label: 'Theme: dark' },
} as const;

function ThemeButton(): ReactNode {
  const [theme, setShown] = useState(shownTheme);
  const { icon: Icon, label } = THEMES[theme];
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        const next = nextTheme(theme);
        setTheme(next);
        setShown(next);
      }}
    >
      <Icon size={16} strokeWidth={1.6} aria-hidden />
    </button>
  );
}
