/** One and a half bytes for each token of the budget: about half of a prompt, for words as for code. */
const PAGE_BYTES_PER_TOKEN = 1.5;
const SMALLEST_PAGE_BYTES = 1_024;
const LARGEST_PAGE_BYTES = 16_384;

/** What one answer should hold of a large value. */
export function pageBytesFor(budgetTokens: number): number {
  const wanted = Math.floor(budgetTokens * PAGE_BYTES_PER_TOKEN);
  return Math.min(LARGEST_PAGE_BYTES, Math.max(SMALLEST_PAGE_BYTES, wanted));
}
