import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import { counted } from './numbers.ts';
import { TypeIcon } from './type-icon.tsx';

const LAYERS = {
  sessions: ['session', 'sessions'],
  memories: ['memory', 'memories'],
  messages: ['message', 'messages'],
  details: ['detail', 'details'],
  notes: ['document of notes', 'documents of notes'],
  note_lines: ['line of notes', 'lines of notes'],
  agents: ['agent', 'agents'],
  agent_memories: ['journal or core memory', 'journal and core memories'],
} as const;
type Counts = Readonly<Partial<Record<keyof typeof LAYERS, number>>>;

/** How much of which layer. */
export function layersOf(pieces: Counts) {
  return Object.entries(LAYERS).flatMap(([layer, [one, many]]) => {
    const number = pieces[layer as keyof Counts] ?? 0;
    return number === 0 ? [] : [{ layer, number, words: number === 1 ? one : many }];
  });
}

/** `2 memories, 1 message` */
export function inNumbers(pieces: Counts): string {
  const parts = layersOf(pieces).map(({ number, words }) => counted(number, words, words));
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

const ICONS: Readonly<Record<string, string>> = {
  message: 'transcript',
  private: 'journal',
  session: 'summary',
  memory: 'finding',
};

/** The texts that go, each with why. */
export function GoingList({ items }: { readonly items: OutputOf<'previewForgetting'>['items'] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
    <ul className="going" tabIndex={0} aria-label="What would go">
      {items.map(({ kind, id, text, reason, session_id }) => (
        <li key={`${kind} ${id} ${text}`}>
          <TypeIcon type={ICONS[kind] ?? kind} size={16} />
          <div>
            <p className="text" dir="auto">
              {text || id}
            </p>
            <p className="hint">
              {kind === 'private' ? 'journal or core' : kind} · {reason}
              {session_id !== undefined && (
                <>
                  {' · '}
                  <bdi>{session_id}</bdi>
                </>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
