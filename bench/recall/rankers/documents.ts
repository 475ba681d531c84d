import { type Haystack, textOf, type View } from '../haystack.ts';

/** A text to be ranked by a plain full-text index. */
export interface Document {
  readonly name: string;
  readonly text: string;
}

/** The turns of a haystack, or its sessions with all turns as one text. */
export function documentsOf({ sessions }: Haystack, view: View): Document[] {
  if (view === 'sessions') {
    return sessions.map(({ name, turns }) => ({ name, text: turns.map(textOf).join('\n') }));
  }
  return sessions.flatMap(({ turns }) => turns.map((turn) => ({ name: turn.name, text: textOf(turn) })));
}

/** Plain indexes know no `sortBy`. */
export function plainViews(views: readonly View[]): View[] {
  return views.filter((view) => view !== 'turns by match');
}
