import { isAboutText } from '../../core/query.ts';
import { SCHEMA_VERSION } from '../../core/records.ts';
import { RecallIndex } from '../../recall/index/index.ts';
import { resolveDecayPolicy, search, wordMeaning } from '../../recall/ranking/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { missingText, refusing } from './asked-request.ts';

/** A text that no index holds: a journal and notes are small, and are read as a whole. */
interface SearchableText {
  readonly text: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * The texts that are asked for, best first, by words and by meaning. Their age has no say.
 * @throws ValidationError INVALID_QUERY
 */
export async function searchTexts<Text extends SearchableText>(
  { clock, config, loadWords }: LayerContext,
  asked: string,
  texts: readonly Text[],
  limit = 10,
): Promise<(Text & { readonly match: number })[]> {
  if (!isAboutText({ text: asked })) throw missingText();
  const index = new RecallIndex(await loadWords());
  for (const [number, { text, timestamp }] of texts.entries()) {
    const entry = {
      schema_version: SCHEMA_VERSION,
      id: String(number),
      session_id: String(number),
      timestamp,
      type: 'finding',
      // A key that is no word of its own.
      content: { texts: [text] },
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'assistant', trust: 'agent' },
    } as const;
    index.add(entry, number, { log: 0, offset: 0, length: 0 });
  }
  const policy = resolveDecayPolicy(config.decay);
  const request = { text: asked, nowMs: clock.now(), timeZone: config.time_zone, policy, limit };
  const { hits } = refusing(() =>
    search(index, { ...request, meaning: wordMeaning(asked), sortBy: 'match' }),
  );
  return hits.map(({ id, match }) => ({ ...texts[Number(id)]!, match }));
}
