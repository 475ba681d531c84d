import { EMBEDDER_LIMITS } from '../../core/embedder.ts';
import { QueryError, readQueryText } from '../query-text.ts';

/**
 * What of a query is asked by its meaning; `undefined` when nothing is. Wildcards, and a query of phrases alone, ask for
 * letters.
 */
export function meaningText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { words, wildcards, isOnlyPhrases } = readQueryText(text);
    if (words.length === 0 || wildcards.length > 0 || isOnlyPhrases) return undefined;
  } catch (error) {
    // The search refuses it as well, and says why.
    if (error instanceof QueryError) return undefined;
    throw error;
  }
  return text.slice(0, EMBEDDER_LIMITS.textCharacters).toWellFormed();
}
