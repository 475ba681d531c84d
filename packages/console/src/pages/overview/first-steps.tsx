import { Import, MessageSquareText, Plug } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../parts/copy-button.tsx';

const CONNECT = 'npm run -s longhand -- connect';

/** What a new user can do first. */
export function FirstSteps(): ReactNode {
  const config = JSON.stringify(
    { mcpServers: { longhand: { type: 'http', url: `${location.origin}/mcp` } } },
    null,
    2,
  );
  return (
    <section aria-labelledby="first-steps" className="first-steps">
      <h2 id="first-steps">Nothing remembered yet.</h2>
      <div className="first-cards">
        <div className="card stack">
          <MessageSquareText size={22} />
          <h3>Talk to the demo agent</h3>
          <p>
            It needs no key. Tell it something about you, ask for it again, and see why it was in the prompt.
          </p>
          <Link className="button is-main" href="/chat">
            Begin a chat
          </Link>
        </div>
        <div className="card stack">
          <Plug size={22} />
          <h3>Connect a coding agent</h3>
          <p>
            The MCP clients of this machine then share one memory. In the clone, this finds them and sets them
            up:
          </p>
          <p className="copied">
            <code>{CONNECT}</code>
            <CopyButton text={CONNECT} label="Copy the command" />
          </p>
          <details>
            <summary>Or by hand</summary>
            <div className="copied">
              <pre>{config}</pre>
              <CopyButton text={config} label="Copy the configuration" />
            </div>
          </details>
        </div>
        <div className="card stack">
          <Import size={22} />
          <h3>Bring what you have</h3>
          <p>
            Memories of another program, or an export of Longhand. You see what would come in before it does.
          </p>
          <Link className="button" href="/privacy?tab=import">
            Import a file
          </Link>
        </div>
      </div>
    </section>
  );
}
