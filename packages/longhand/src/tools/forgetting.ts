import type { GoingTexts } from './going-texts.ts';
import { isAgentMemoryId } from './shown-memory.ts';
import type { ToolLayers } from './tool-scope.ts';

type Request = { readonly ids: readonly string[] } & ({ readonly agent: string } | { readonly user: string });

interface Counted extends GoingTexts {
  readonly memories: number;
  readonly details: number;
  readonly messages: number;
  readonly damaged_lines?: number;
}

interface ForgettingNeeds {
  previewForgetting(request: Request): Promise<Counted>;
  readonly privacy: { forget(request: Request): Promise<{ readonly receipt_id: string | null }> };
}

/** How the tools forget: with what would go in words, and without a receipt where nothing does. */
export function forgetting(
  rooms: ForgettingNeeds,
  journal: { refuseChange(agentId: string, ids: readonly string[]): Promise<void> },
): ToolLayers['forget'] {
  return async ({ userId, agentId }, keys, { dryRun }) => {
    const isOwn = agentId !== undefined && keys.every(isAgentMemoryId);
    const request = isOwn ? { agent: agentId, ids: keys } : { user: userId, ids: keys };
    // Of the agent's own memories, only what concerns the user: neither its text nor itself goes otherwise.
    if (isOwn) await journal.refuseChange(agentId, keys);
    const { items, memories, details, messages, damaged_lines = 0 } = await rooms.previewForgetting(request);
    const report = { pieces: memories + details + messages + damaged_lines, items, receipt_id: null };
    if (dryRun || report.pieces === 0) return report;
    return { ...report, receipt_id: (await rooms.privacy.forget(request)).receipt_id };
  };
}
