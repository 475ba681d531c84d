import { useQuery } from '@tanstack/react-query';
import type { OutputOf } from 'longhand/client';
import { api, scopeKey } from '../../api/session.ts';

/** The most that the server gives in one answer. */
const PAGE_BYTES = 500_000;

/** All of a value, page after page. @param onPart told how many of the pages are here */
export async function wholeDetail(
  memory_key: string,
  signal?: AbortSignal,
  onPart?: (page: number, pages: number) => void,
): Promise<string> {
  let whole = '';
  for (let page = 1; ; page++) {
    const input = { memory_key, page, page_size: PAGE_BYTES };
    const { content, total_pages = 1 } = await api().call('retrieveDetail', input, signal && { signal });
    whole += content;
    onPart?.(page, total_pages);
    if (page >= total_pages) return whole;
  }
}

/** How many messages of the conversation that a detail belongs to have its placeholder; `undefined` while they are counted. */
export function useMentions({ memory_key, session_id }: OutputOf<'updateDetail'>): number | undefined {
  const { data } = useQuery({
    queryKey: ['mentions', session_id, scopeKey()],
    queryFn: ({ signal }) => mentionsIn(session_id, signal),
    retry: false,
    // A transcript may be long: it is read once for all details of the session.
    staleTime: 'static',
  });
  return data && (data.get(memory_key) ?? 0);
}

async function mentionsIn(session_id: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const mentions = new Map<string, number>();
  for (let after: string | undefined; ; ) {
    const input = { session_id, limit: 1_000, ...(after === undefined ? {} : { after }) };
    const { messages, has_more } = await api().call('listChatMessages', input, { signal });
    for (const { content } of messages) {
      const keys = [...content.matchAll(/\[MemoryRef: (\S+)/g)].map(([, key]) => key!);
      for (const key of new Set(keys)) mentions.set(key, (mentions.get(key) ?? 0) + 1);
    }
    after = messages.at(-1)?.id;
    if (!has_more || after === undefined) return mentions;
  }
}
