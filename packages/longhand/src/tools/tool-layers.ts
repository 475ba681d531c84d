import type { Details } from '../layers/details/index.ts';
import type { Journal, Viewer } from '../layers/journal/index.ts';
import type { NotesLayer } from '../layers/notes/index.ts';
import type { UserMemories } from '../layers/users/user-memories.ts';
import type { GoingTexts } from './going-texts.ts';
import type { NotesShown } from './notes-shown.ts';
import { pageBytesFor } from './page-bytes.ts';
import { isAgentMemoryId } from './shown-memory.ts';
import type { ToolLayers } from './tool-scope.ts';

type Request =
  | { readonly ids: readonly string[]; readonly agent: string }
  | { readonly ids: readonly string[]; readonly user: string }
  | { readonly text: string; readonly user: string; readonly agent?: string; readonly messages: false };

interface Counted extends GoingTexts {
  readonly memories: number;
  readonly details: number;
  readonly messages: number;
  readonly note_lines: number;
  readonly damaged_lines?: number;
}

interface ForgettingNeeds {
  preview(request: Request): Promise<Counted>;
  forget(request: Request): Promise<{ readonly receipt_id: string | null }>;
}

interface OpenLayers {
  readonly journal: Journal;
  readonly notes: NotesLayer;
  readonly notesShown: NotesShown;
  readonly details: Details;
  readonly userMemories: UserMemories;
  readonly privacy: ForgettingNeeds;
}

/** What the tools of a viewer work with. @param agents those that may be made */
export function toolLayersOf(
  { notes, notesShown, details, userMemories: memories, privacy, ...layers }: OpenLayers,
  agents: ToolLayers['agents'],
  viewer: Viewer,
  budgetTokens: number,
): ToolLayers {
  // An agent that talks to a user sees what concerns the user, also when another user started the conversation.
  const journal = layers.journal.as(viewer.userId === undefined ? viewer : { ...viewer, isAdmin: false });
  const forget = forgetting(privacy, journal);
  const pageBytes = pageBytesFor(budgetTokens);
  return { agents, journal, notes, notesShown, details, pageBytes, memories, forget };
}

/** How the tools forget: with what would go in words, and without a receipt where nothing does. */
function forgetting(
  privacy: ForgettingNeeds,
  journal: { refuseChange(agentId: string, ids: readonly string[]): Promise<void> },
): ToolLayers['forget'] {
  return async ({ userId, agentId }, { text, keys = [] }, { dryRun }) => {
    const isOwn = text === undefined && agentId !== undefined && keys.every(isAgentMemoryId);
    // Other agents keep theirs to themselves.
    // The message that asks for it holds the words, and is being answered.
    const ofText =
      text === undefined
        ? undefined
        : { text, user: userId, messages: false as const, ...(agentId && { agent: agentId }) };
    const request: Request = ofText ?? (isOwn ? { agent: agentId, ids: keys } : { user: userId, ids: keys });
    // Of the agent's own memories, only what concerns the user: neither its text nor itself goes otherwise.
    if (isOwn) await journal.refuseChange(agentId, keys);
    const {
      items,
      memories,
      details,
      messages,
      note_lines,
      damaged_lines = 0,
    } = await privacy.preview(request);
    const pieces = memories + details + messages + note_lines + damaged_lines;
    const report = { pieces, items, receipt_id: null };
    if (dryRun || report.pieces === 0) return report;
    return { ...report, receipt_id: (await privacy.forget(request)).receipt_id };
  };
}
