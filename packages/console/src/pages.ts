import {
  Bot,
  FileText,
  Gauge,
  Lightbulb,
  type LucideIcon,
  MessageSquareText,
  NotebookText,
  ScrollText,
  Search,
  ShieldCheck,
} from 'lucide-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/**
 * The pages of the console. Each is a folder in `pages/` with a component of its own, which is loaded when it is first
 * shown. To add one, add a line here: the rail, the bar of small screens, the routes and the titles follow from it.
 */
export interface ConsolePage {
  readonly label: string;
  readonly icon: LucideIcon;
  /** As wouter has them; `:id?` may be left out. The page reads the name with `useNameInPath`, filters with `useParam`. */
  readonly path: string;
  /** Whether it stands in the bar of small screens, where there is room for four. */
  readonly isInBar?: true;
  /** Whether it can be shown before a user is chosen. */
  readonly isForAllUsers?: true;
  readonly load: () => Promise<unknown>;
  readonly Component: LazyExoticComponent<ComponentType>;
}

type Loaded = { readonly [name: string]: ComponentType };

function page<Name extends string>(
  path: string,
  label: string,
  icon: LucideIcon,
  name: Name,
  load: () => Promise<Loaded & { readonly [key in Name]: ComponentType }>,
  more: Pick<ConsolePage, 'isInBar' | 'isForAllUsers'> = {},
): ConsolePage {
  const Component = lazy(async () => ({ default: (await load())[name] as ComponentType }));
  return { path, label, icon, load, Component, ...more };
}

export const PAGES: readonly ConsolePage[] = [
  page('/', 'Overview', Gauge, 'Overview', () => import('./pages/overview/overview.tsx'), { isInBar: true }),
  page('/agents/:id?', 'Agents', Bot, 'Agents', () => import('./pages/agents/agents.tsx'), {
    isForAllUsers: true,
  }),
  page('/sessions/:id?', 'Sessions', ScrollText, 'Sessions', () => import('./pages/sessions/sessions.tsx')),
  page('/search', 'Search', Search, 'Search', () => import('./pages/search/search.tsx'), { isInBar: true }),
  page('/notes/:agent?', 'Notes', NotebookText, 'Notes', () => import('./pages/notes/notes.tsx'), {
    isInBar: true,
  }),
  page('/details/:key?', 'Details', FileText, 'Details', () => import('./pages/details/details.tsx')),
  page('/chat/:session?', 'Chat', MessageSquareText, 'Chat', () => import('./pages/chat/chat.tsx'), {
    isInBar: true,
  }),
  page(
    '/proposals',
    'Proposals',
    Lightbulb,
    'ProposalsPage',
    () => import('./pages/proposals/proposals.tsx'),
  ),
  page('/privacy', 'Privacy', ShieldCheck, 'Privacy', () => import('./pages/privacy/privacy.tsx'), {
    isForAllUsers: true,
  }),
];

/** The address of a page without the names that may follow. */
export function homeOf({ path }: ConsolePage): string {
  return path.split('/:')[0] || '/';
}

/** The page that an address belongs to: its first word is that of the path. */
export function pageAt(address: string): ConsolePage | undefined {
  const first = (path: string): string | undefined => path.split('/')[1];
  return PAGES.find(({ path }) => first(path) === first(address));
}
