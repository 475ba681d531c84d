/** The manifest of a prompt, as `assembleContext` and answers of the chat have it. */
export interface Manifest {
  readonly agent_id: string | null;
  readonly now: string;
  readonly budget: number;
  readonly total: number;
  readonly tokenizer: string;
  readonly pieces: readonly Piece[];
  readonly near_misses: readonly NearMiss[];
  readonly other_misses: number;
  readonly changed_sections: readonly string[];
  readonly stable_prefix: { readonly segments: number; readonly tokens: number };
  readonly prefix_broken: { readonly section: string; readonly why: string } | null;
  readonly segments: readonly { readonly section: string; readonly tokens: number }[];
}

export interface Source {
  readonly layer: string;
  readonly id: string;
}

export interface Piece {
  readonly section: string;
  readonly source: Source;
  readonly reason: string;
  readonly tokens: number;
  readonly trust: string | null;
  readonly score?: Readonly<Record<string, number>>;
  readonly is_cut?: true;
}

export interface NearMiss {
  readonly section: string;
  readonly source: Source;
  readonly why: string;
  readonly tokens?: number;
  readonly score?: Readonly<Record<string, number>>;
}

/** In the order of the prompt, with the words that people read. */
const SECTION_WORDS: Readonly<Record<string, string>> = {
  tools: 'Tools',
  'system-prompt': 'System prompt',
  lessons: 'How to read what follows',
  'private-memory': 'Journal and core',
  whiteboard: 'Whiteboard',
  notes: 'Notes',
  group: 'The group',
  preferences: 'Preferences of the session',
  summary: 'Summary',
  standing: 'Standing memories',
  conversation: 'Conversation',
  memories: 'Recalled memories',
  details: 'Details',
  placeholders: 'Placeholders of details',
  'new-messages': 'New message',
};

export function sectionWords(section: string): string {
  return SECTION_WORDS[section] ?? section;
}

export interface SectionSum {
  readonly section: string;
  /** Labels and frames included: what the section takes of the budget. */
  readonly tokens: number;
  readonly pieces: readonly Piece[];
}

/** The sections in the order of the prompt, with what each takes. */
export function sectionsOf({ pieces, segments }: Manifest): readonly SectionSum[] {
  const names = new Set([...segments, ...pieces].map(({ section }) => section));
  const place = Object.keys(SECTION_WORDS);
  const sum = (all: readonly { readonly section: string; readonly tokens: number }[], name: string) =>
    all.reduce((total, { section, tokens }) => (section === name ? total + tokens : total), 0);
  return [...names]
    .sort((a, b) => place.indexOf(a) - place.indexOf(b))
    .map((section) => ({
      section,
      tokens: Math.max(sum(segments, section), sum(pieces, section)),
      pieces: pieces.filter((piece) => piece.section === section),
    }));
}

/** Where in the console the source of a piece is shown. */
export function addressOfSource({ layer, id }: Source, agent: string | null, session: string, text = id) {
  const name = encodeURIComponent;
  switch (layer) {
    case 'memories':
      // It may be of any session of the user: its own words find it.
      return `/search?q=${name(text.slice(0, 120))}`;
    case 'details':
      return `/details/${name(id)}`;
    case 'notes':
      return agent === null ? undefined : `/notes/${name(agent)}`;
    case 'core':
    case 'journal':
    case 'agent':
      return agent === null ? undefined : `/agents/${name(agent)}`;
    case 'summary':
      return `/sessions/${name(session)}?tab=summary`;
    default:
      return undefined;
  }
}

/** The texts of memories, by their keys, from the lines that a prompt prints them in. */
export function textsIn(messages: readonly { readonly content?: unknown }[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { content } of messages) {
    if (typeof content !== 'string') continue;
    for (const [, id, text] of content.matchAll(/^- \[[^\]]*?, (mem_\w+)[^\]]*\] (.*)$/gm))
      texts.set(id!, text!);
  }
  return texts;
}
