import type { OutputOf } from 'longhand/client';
import { Check, CircleAlert, Info } from 'lucide-react';
import type { PropsWithChildren, ReactNode } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../../api/address.ts';
import { useAnswer, useSession } from '../../api/hooks.ts';
import { counted } from '../../parts/numbers.ts';
import { relativeTime } from '../../parts/times.tsx';

const ICONS = { well: Check, note: Info, trouble: CircleAlert } as const;

/** What needs a person, and what is well: each line with what to do. */
export function Health({ analytics }: { readonly analytics: OutputOf<'analytics'> }): ReactNode {
  const { isConnected } = useSession();
  const { data: options } = useAnswer('agentOptions', {});
  const { data: waiting } = useAnswer('listProposals', {});
  const { data: health } = useAnswer('showHealth', {});
  const isDemo = options !== undefined && 'Demo' in options.grouped_models;
  const full = analytics.sizes.largest.filter((one) => one.bytes > one.limit_bytes * 0.75);
  const proposals = waiting?.proposals ?? [];
  return (
    <section className="card">
      <h2>Health</h2>
      <ul className="health">
        <Line state={isConnected ? 'well' : 'trouble'}>
          {isConnected
            ? 'The server answers, and changes show at once.'
            : 'The server cannot be reached; it is tried again.'}
        </Line>
        {full.length === 0 ? (
          <Line state="well">Every session has room.</Line>
        ) : (
          full.map(({ session_id, bytes, limit_bytes }) => (
            <Line key={session_id} state="trouble">
              <Link href={addressOf(['sessions', session_id])}>{session_id}</Link> is{' '}
              {Math.round((bytes / limit_bytes) * 100)} % full: compact it.
            </Line>
          ))
        )}
        {health !== undefined && <Store health={health} />}
        {!analytics.is_complete && (
          <Line state="note">There is more than was counted here: the newest memories and sessions are.</Line>
        )}
        {isDemo && (
          <Line state="note">
            The demo model answers: it needs no key. A real one is set with <code>openai.model</code> or{' '}
            <code>anthropic.model</code>.
          </Line>
        )}
        {proposals.length > 0 && (
          <Line state="note">
            <Link href="/proposals">{counted(proposals.length, 'proposal waits', 'proposals wait')}</Link> for
            you.
          </Line>
        )}
      </ul>
    </section>
  );
}

const INDEX = {
  none: ['well', 'No search index is stored yet: searches read the logs.'],
  sealed: ['well', 'The search index is complete.'],
  behind: ['well', 'The search index is sound; searches read the newest from the logs.'],
  outdated: ['note', 'The search index is outdated: the next search builds it again.'],
  damaged: ['trouble', 'The search index is damaged: the next search builds it again.'],
} as const;

/** What the server says of the store, its index, the archive and the last verification. */
function Store({ health }: { readonly health: OutputOf<'showHealth'> }): ReactNode {
  const { store, search_index, spool, unreadable_sessions: unreadable, verification, scope } = health;
  const [state, words] = INDEX[search_index.state];
  return (
    <>
      <Line state={state}>{words}</Line>
      {store.redis === 'gone' && (
        <Line state="trouble">Redis does not answer: see that it runs, and that the server reaches it.</Line>
      )}
      {spool.messages > 0 && (
        <Line state="note">
          {counted(spool.messages, 'message waits', 'messages wait')} to be archived
          {spool.oldest !== null && `, the oldest since ${relativeTime(spool.oldest)}`}.
        </Line>
      )}
      {spool.failed.map(({ session_id, code }) => (
        <Line key={session_id} state="trouble">
          Messages of <bdi>{session_id}</bdi> could not be archived ({code}). They are kept, and tried again.
        </Line>
      ))}
      {unreadable.map(({ session_id, reason }) => (
        <Line key={session_id} state="trouble">
          <bdi>{session_id}</bdi> cannot be read: {reason} <code>longhand verify</code> says more.
        </Line>
      ))}
      {verification !== null ? (
        <Line state={verification.is_sound ? 'well' : 'trouble'}>
          Verified {relativeTime(verification.verified_at)}:{' '}
          {verification.is_sound ? 'all is sound.' : `${counted(verification.damage, 'place')} damaged.`}
        </Line>
      ) : (
        scope === 'store' && (
          <Line state="note">
            Not verified yet: <code>longhand verify</code> reads every line.
          </Line>
        )
      )}
    </>
  );
}

function Line({ state, children }: PropsWithChildren<{ readonly state: keyof typeof ICONS }>): ReactNode {
  const Icon = ICONS[state];
  return (
    <li className={`is-${state}`}>
      <Icon size={16} />
      <span>{children}</span>
    </li>
  );
}
