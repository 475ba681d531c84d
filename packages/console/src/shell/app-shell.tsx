import { useQuery } from '@tanstack/react-query';
import { ProblemError } from 'longhand/client';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useParam } from '../api/address.ts';
import { queries, useNeedsUser, useSession } from '../api/hooks.ts';
import { useLiveUpdates } from '../api/live.ts';
import { findOut, setScope } from '../api/session.ts';
import { PAGES, pageAt } from '../pages.ts';
import { ErrorBox } from '../parts/error-box.tsx';
import { PageLoading } from '../parts/page-loading.tsx';
import { ScopeChooser } from '../parts/scope-chooser.tsx';
import { Toasts } from '../parts/toast.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { IS_MAC, Navigation } from './navigation.tsx';
import { NotFound } from './not-found.tsx';
import { SignInAgain, SignInPage } from './sign-in.tsx';

const CommandList = lazy(async () => ({ default: (await import('./command-list.tsx')).CommandList }));

export function AppShell(): ReactNode {
  const { state } = useSession();
  // The scope is set before anything asks: effects of pages run before those of the shell.
  const [user] = useParam('as');
  const [agent] = useParam('by');
  setScope({ user, agent });
  const asked = useQuery({
    queryKey: ['who'],
    queryFn: findOut,
    staleTime: Infinity,
  });
  useLiveUpdates();
  return (
    <>
      {state === 'out' ? (
        <SignInPage />
      ) : asked.isError ? (
        <main className="lonely">
          {asked.error instanceof ProblemError && asked.error.status === 403 ? (
            <ErrorBox
              error={asked.error}
              what="This is not yours to see"
              onRetry={() => location.assign(location.pathname)}
              retryLabel="Show my own memory"
            />
          ) : (
            <ErrorBox error={asked.error} what="The server does not answer" onRetry={() => asked.refetch()} />
          )}
        </main>
      ) : state === 'asked' ? (
        <PageLoading />
      ) : (
        <Signed />
      )}
      <Toasts />
    </>
  );
}

function Signed(): ReactNode {
  const { state, isConnected } = useSession();
  const [location] = useLocation();
  const page = pageAt(location);
  useEffect(() => {
    document.title = page === undefined ? 'Longhand' : `${page.label} · Longhand`;
  }, [page]);
  const [hasCommands, setCommands] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isAsked = (IS_MAC ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === 'k';
      if (!isAsked || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      setCommands(true);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  const needsUser = useNeedsUser() && page?.isForAllUsers !== true;
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Navigation onCommands={() => setCommands(true)} />
      <main id="content" tabIndex={-1}>
        {!isConnected && (
          <p className="connection-lost" role="status">
            The server cannot be reached. What is shown was read before; the connection is tried again.
          </p>
        )}
        <ErrorBoundary key={location} onRetry={() => queries.invalidateQueries()}>
          <Suspense fallback={<PageLoading />}>
            {needsUser ? (
              <ScopeChooser />
            ) : (
              <Switch>
                {PAGES.map(({ path, Component }) => (
                  <Route key={path} path={path}>
                    <Component />
                  </Route>
                ))}
                <Route>
                  <NotFound />
                </Route>
              </Switch>
            )}
          </Suspense>
        </ErrorBoundary>
      </main>
      {hasCommands && (
        <Suspense>
          <CommandList onClose={() => setCommands(false)} />
        </Suspense>
      )}
      {state === 'over' && <SignInAgain />}
    </div>
  );
}
