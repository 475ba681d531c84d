import type { OutputOf } from 'longhand/client';
import { Check, CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../../api/address.ts';
import { useAnswer, useSession } from '../../api/hooks.ts';
import { counted } from '../../parts/numbers.ts';

const ICONS = { well: Check, note: Info, trouble: CircleAlert } as const;

/** What needs a person, and what is well: each line with what to do. */
export function Health({ analytics }: { readonly analytics: OutputOf<'analytics'> }): ReactNode {
  const { isConnected } = useSession();
  const { data: options } = useAnswer('agentOptions', {});
  const { data: waiting } = useAnswer('listProposals', {});
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
            <Link href={addressOf(['agents', proposals[0]?.agent_id ?? 'default'])}>
              {counted(proposals.length, 'proposal waits', 'proposals wait')}
            </Link>{' '}
            for you.
          </Line>
        )}
      </ul>
    </section>
  );
}

function Line({
  state,
  children,
}: {
  readonly state: keyof typeof ICONS;
  readonly children: ReactNode;
}): ReactNode {
  const Icon = ICONS[state];
  return (
    <li className={`is-${state}`}>
      <Icon size={16} strokeWidth={1.8} aria-hidden />
      <span>{children}</span>
    </li>
  );
}
