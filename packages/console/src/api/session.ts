import { LonghandClient, type OutputOf, ProblemError } from 'longhand/client';
import { createStore } from 'zustand/vanilla';

export type Me = OutputOf<'whoAmI'>;

/** Of whom the console shows the memory. Admins may choose; others are themselves. */
export interface Scope {
  readonly user: string | undefined;
  readonly agent: string | undefined;
}

export interface ConsoleSession {
  readonly me: Me | undefined;
  readonly scope: Scope;
  /** `asked`: nothing is known yet. `over`: a page may be open that holds unsaved work. */
  readonly state: 'asked' | 'out' | 'over' | 'in';
  /** Whether the last request reached the server. */
  readonly isConnected: boolean;
}

export const session = createStore<ConsoleSession>(() => ({
  me: undefined,
  scope: { user: undefined, agent: undefined },
  state: 'asked',
  isConnected: true,
}));

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function clientFor({ user, agent }: Scope): LonghandClient {
  return new LonghandClient({
    timeZone,
    ...(user === undefined ? {} : { userId: user }),
    ...(agent === undefined ? {} : { agentId: agent }),
    csrfToken: () => session.getState().me?.csrf_token ?? undefined,
    fetch: watchedFetch,
  });
}

let client = clientFor(session.getState().scope);

/** The client of the current scope. */
export function api(): LonghandClient {
  return client;
}

export function setScope(scope: Scope): void {
  const { user, agent } = session.getState().scope;
  if (user === scope.user && agent === scope.agent) return;
  client = clientFor(scope);
  session.setState({ scope });
}

/** Whose caches are whose. */
export function scopeKey(): string {
  const { me, scope } = session.getState();
  return JSON.stringify([me?.user_id, scope.user, scope.agent]);
}

/** Asks the server who the caller is. @throws what `fetch` throws when the server cannot be reached */
export async function findOut(): Promise<Me | null> {
  try {
    const me = await client.call('whoAmI', {});
    session.setState({ me, state: 'in' });
    return me;
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
    session.setState({ me: undefined, state: 'out' });
    return null;
  }
}

/** @throws ProblemError when the key is refused */
export async function signIn(key: string): Promise<void> {
  const me = await new LonghandClient({ key, timeZone, fetch: watchedFetch }).call('signIn', {});
  session.setState({ me, state: 'in' });
}

export async function signOut(): Promise<void> {
  await client.call('signOut', {});
  session.setState({ me: undefined, state: 'out' });
}

async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init);
    if (!session.getState().isConnected) session.setState({ isConnected: true });
    // A person who was signed in and is refused now has to sign in again; what is on the page stays there.
    const isKey = new Headers(init?.headers).has('authorization');
    if (response.status === 401 && !isKey && session.getState().state === 'in')
      session.setState({ state: 'over' });
    return response;
  } catch (error) {
    const isAborted = init?.signal?.aborted === true;
    if (!isAborted && session.getState().isConnected) session.setState({ isConnected: false });
    throw error;
  }
}
