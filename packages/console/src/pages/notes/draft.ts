import { useCallback, useState } from 'react';
import { useCall } from '../../api/hooks.ts';
import { scopeKey } from '../../api/session.ts';
import { readStored, writeStored } from '../../api/stored.ts';

/** What a tab writes, and the version that it is based on. It survives a reload of the page. */
export interface Draft {
  readonly version: number;
  readonly base: string;
  readonly text: string;
}

export function useDraft(agent: string, saved: { readonly text: string; readonly version: number }) {
  const place = `longhand-notes ${scopeKey()} ${agent}`;
  const [draft, setDraft] = useState<Draft>(() =>
    readStored('sessionStorage', place, { version: saved.version, base: saved.text, text: saved.text }),
  );
  const change = useCallback(
    (next: Draft) => {
      setDraft(next);
      writeStored('sessionStorage', place, next.text === next.base ? undefined : next);
    },
    [place],
  );
  return [draft, change] as const;
}

export interface Author {
  readonly author: string;
  readonly agent_id?: string;
  readonly source?: string;
}

/** Who wrote a version, in a word. */
export function authorInWords({ author, agent_id, source }: Author): string {
  if (author === 'user') return 'a person';
  if (author === 'import') return source ?? 'an import';
  return agent_id ?? (author === 'assistant' ? 'an agent' : (source ?? author));
}

/** Asks who wrote the newest version. */
export function useNewestAuthor() {
  const call = useCall();
  return useCallback(
    async (agent_id: string) => {
      const { versions } = await call('listNotesVersions', { agent_id, limit: 1 });
      return versions[0] === undefined ? 'Another writer' : authorInWords(versions[0].author);
    },
    [call],
  );
}
