import type { OutputOf } from 'longhand/client';
import { api } from '../../api/session.ts';

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

/** How often a placeholder of it stands in the conversation that it belongs to. */
export async function mentionsOf({ memory_key, session_id }: OutputOf<'updateDetail'>, signal: AbortSignal) {
  let mentions = 0;
  for (let after: string | undefined; ; ) {
    const page = await api().call(
      'listChatMessages',
      { session_id, limit: 1_000, ...(after === undefined ? {} : { after }) },
      { signal },
    );
    mentions += page.messages.filter(({ content }) => content.includes(`[MemoryRef: ${memory_key}`)).length;
    after = page.messages.at(-1)?.id;
    if (!page.has_more || after === undefined) return mentions;
  }
}
